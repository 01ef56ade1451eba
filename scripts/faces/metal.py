"""Drawings of metal: forged things, from a needle to the crown."""

from scripts.faces.shapes import box, disc, faint, line, many, moved, oval, path, ring, star

FLOOR = path("M0 212H214V244H0z", "#4d5762") + line("M0 212H214", "#7d8994", 3) + line("M40 212L10 244M90 212L78 244M130 212L142 244M176 212L206 244", "#3b444d", 2)
WALL = faint(line("M0 40H214M0 90H214M0 140H214M0 190H214M50 40V90M150 40V90M100 90V140M190 90V140M40 " "140V190M150 140V190", "#7b8794", 2), 0.5)


def needle() -> str:
    """Draw the card of strength 1."""
    thread = line("M36 208C90 220 150 190 120 150C96 120 40 150 60 180C84 210 170 170 168 110C168 80 158 66 " "150 56", "#b5331e", 4)
    steel = path("M152 40C160 44 160 54 156 62L62 206L58 204L140 50C142 42 146 38 152 40z", "#8f9ba6") + path("M152 40C160 44 160 54 156 62L62 206L60 205z", "#d9e0e6") + path("M150 46C154 48 152 56 148 60C144 58 146 48 150 46z", "#39424b")
    shine = path(star(96, 132, 14, 3, 4), "#fff")
    cloth = path("M0 196C50 184 120 216 214 190V244H0z", "#5f7f9a") + line("M14 214h12M36 216h12M58 218h12M80 220h12M102 220h12M124 218h12M146 214h12M168 212h12M190 " "208h12", "#dfe8ee", 3)
    return WALL + cloth + thread + steel + shine


def coin() -> str:
    """Draw the card of strength 2."""
    rim = disc(107, 124, 70, "#8a4a20") + disc(107, 120, 70, "#d9824a") + disc(107, 120, 58, "#b5622e") + disc(107, 120, 55, "#e39a62")
    leaf = "M0-4C-16-8-20-30-6-38C0-42 0-32 0-30C0-32 0-42 6-38C20-30 16-8 0-4z"
    clover = ring(path(leaf, "#8a4a20"), 107, 120, 4, "l") + line("M110 124C116 144 126 152 136 156", "#8a4a20", 6)
    dots = ring(disc(0, -64, 3, "#f6c79a"), 107, 120, 20, "d")
    return WALL + FLOOR + oval(107, 214, 60, 8, "#2f373f") + rim + dots + clover + path("M62 92A54 54 0 0 1 96 66A70 70 0 0 0 62 92z", "#ffe2c4")


def key() -> str:
    """Draw the card of strength 3."""
    bow = line("M107 40a30 30 0 1 0 .1 0M107 100V208", "#8a4f2a", 16) + line("M107 40a30 30 0 1 0 .1 0M107 100V206", "#c07a44", 9)
    bit = path("M107 168H146V180H134V190H146V204H107z", "#a8622f") + box(96, 112, 22, 8, "#e3a66e", 3) + box(96, 126, 22, 6, "#e3a66e", 3)
    heart = path("M107 84C94 74 94 60 101 60C105 60 107 64 107 66C107 64 109 60 113 60C120 60 120 74 107 " "84z", "#6f3a1a")
    rust = many(disc(0, 0, 3, "#7a3a16"), [(84, 56), (130, 84, 1.3), (102, 146), (112, 190, 0.8), (92, 92, 0.7), (138, 174, 0.8)], "r")
    lock = faint(path("M150 96A14 14 0 1 1 170 96L176 140H144z", "#2f373f"), 0.8)
    return WALL + FLOOR + lock + moved(bow + bit + heart + rust, -8, 0)


def bell() -> str:
    """Draw the card of strength 4."""
    frame = path("M14 36H200V52H14z", "#6a4a2c") + path("M24 52H40V212H24zM174 52H190V212H174z", "#5a3d24")
    body = path("M107 58C142 58 140 104 148 150C152 168 164 176 166 188H48C50 176 62 168 66 150C74 104 72 " "58 107 58z", "#b58a3a") + path("M92 62C78 80 82 120 76 152C74 168 66 178 62 188H84C90 150 88 96 98 60z", "#e8c878") + path("M48 188H166Q164 200 107 200T48 188z", "#8a6420")
    bands = line("M74 134Q107 142 140 134M70 150Q107 158 144 150M80 92Q107 98 134 92", "#8a6420", 3)
    sound = line("M30 120Q22 136 30 152M12 110Q0 136 12 162M184 120Q192 136 184 152M202 110Q214 136 202 162", "#5d6874", 3)
    return WALL + FLOOR + frame + line("M107 52V60", "#39424b", 10) + body + bands + disc(107, 204, 12, "#6a4a14") + faint(sound, 0.7)


def clockwork() -> str:
    """Draw the card of strength 5."""
    tooth = path("M-10-56L-7-74H7L10-56z", "#8d99a5")
    big = ring(tooth, 96, 132, 12, "t") + disc(96, 132, 60, "#8d99a5") + disc(96, 132, 50, "#b9c3cc") + disc(96, 132, 16, "#59646f")
    holes = ring(path("M-11-22C-12-42 12-42 11-22Q0-27-11-22z", "#59646f"), 96, 132, 6, "h")
    brass = ring(path("M-6-27L-4-40H4L6-27z", "#b58a3a"), 166, 78, 8, "b") + disc(166, 78, 30, "#b58a3a") + disc(166, 78, 22, "#e0bd6a")
    small = ring(path("M-5-18L-3-28H3L5-18z", "#6a7580"), 166, 196, 7, "s") + disc(166, 196, 20, "#6a7580") + disc(166, 196, 9, "#a7b2bc")
    return WALL + FLOOR + brass + small + big + holes


def anvil() -> str:
    """Draw the card of strength 6."""
    block = path("M70 216L78 178H136L146 216z", "#6a4a2c") + line("M84 182L80 212M106 182V214M128 182L134 212", "#4a321c", 3)
    iron = path("M20 120C44 122 60 126 74 126H176V144C150 146 140 156 136 168H144V182H70V168H82C80 150 50 " "148 20 120z", "#3f4852") + path("M20 120C44 122 60 126 74 126H176V133H78C58 133 40 130 20 120z", "#77838f")
    hammer = moved(box(-6, -8, 12, 86, "#8a5a30", 4) + box(-30, -30, 60, 30, "#59646f", 4) + box(-30, -30, 60, 9, "#9aa6b1", 4), 150, 50, 1, 38)
    glow = box(84, 112, 56, 14, "#ff7a2a", 4) + box(90, 114, 34, 6, "#ffe27a", 3)
    sparks = many(path(star(0, 0, 8, 2, 4), "#ffb53a"), [(76, 90), (98, 70, 0.8), (62, 64, 0.7), (120, 88, 0.6), (84, 44, 0.5), (46, 90, 0.6)], "k")
    return WALL + FLOOR + block + iron + glow + hammer + sparks


def sword() -> str:
    """Draw the card of strength 7."""
    blade = path("M107 10L122 34V160H92V34z", "#aab5bf") + path("M107 10L92 34V160H107z", "#e4eaef") + line("M107 40V150", "#7d8994", 3)
    hilt = path("M56 160C72 152 142 152 158 160L162 172C140 166 74 166 52 172z", "#b58a3a") + disc(56, 168, 7, "#e0bd6a") + disc(158, 168, 7, "#e0bd6a") + box(99, 168, 16, 46, "#5a2f3a", 4) + line("M99 178L115 172M99 190L115 184M99 202L115 196", "#8a5a66", 3) + disc(107, 222, 12, "#b58a3a") + disc(107, 222, 6, "#3a7fc4")
    rays = faint(ring(path("M-5-40L0-130L5-40z", "#fff"), 107, 100, 12, "y"), 0.4)
    return rays + WALL + faint(disc(107, 100, 64, "#fff"), 0.4) + FLOOR + path("M40 244L70 214H146L176 244z", "#6f7a85") + moved(blade + hilt, 0, -6) + path(star(112, 60, 16, 3, 4), "#fff")


def shield() -> str:
    """Draw the card of strength 8."""
    plate = path("M107 24C134 40 160 44 182 44C186 120 160 188 107 222C54 188 28 120 32 44C54 44 80 40 107 " "24z", "#7a5420") + path("M107 36C132 50 152 54 172 55C174 118 152 178 107 208C62 178 40 118 42 55C62 54 82 50 107 " "36z", "#c9963e") + path("M107 36C82 50 62 54 42 55C40 118 62 178 107 208z", "#e3bb68")
    lion = path("M107 66C128 60 150 76 148 102C156 122 146 150 128 156C122 168 92 168 86 156C68 150 58 " "122 66 102C64 76 86 60 107 66z", "#8a5a1c") + path("M84 96C88 80 126 80 130 96C136 116 128 142 107 148C86 142 78 116 84 96z", "#f0cf88")
    face = disc(95, 108, 4.5, "#3a2408") + disc(119, 108, 4.5, "#3a2408") + path("M98 122H116L107 132z", "#5a3410") + line("M107 132V138M96 142Q107 148 118 142", "#5a3410", 3)
    rivets = many(disc(0, 0, 4, "#f6dfa8"), [(50, 62), (164, 62), (48, 110), (166, 110), (66, 162), (148, 162), (107, 198)], "r")
    return WALL + FLOOR + plate + lion + face + rivets


def knight() -> str:
    """Draw the card of strength 9."""
    plume = path("M104 52C88 10 140-4 172 30C192 52 196 90 180 120C176 90 160 64 120 60z", "#b5331e") + path("M110 50C108 22 140 14 162 40C174 56 180 74 176 92C164 66 146 54 114 56z", "#e0664a")
    helm = path("M62 116C60 70 84 48 108 48C136 48 156 72 154 116L150 176C136 196 82 196 66 176z", "#8f9ba6") + path("M62 116C60 70 84 48 100 48C86 66 82 100 84 186C76 184 70 180 66 176z", "#d3dbe2")
    visor = path("M58 104L108 92L158 104L150 128L108 120L66 128z", "#59646f") + path("M70 110L102 103V114L74 120zM146 110L114 103V114L142 120z", "#14181c") + many(box(-2, 0, 4, 18, "#39424b", 2), [(84, 140), (96, 144), (108, 146), (120, 144), (132, 140)], "v")
    collar = path("M40 230C44 196 70 186 108 190C146 186 172 196 176 230L180 244H36z", "#6a7681") + path("M40 230C44 204 70 194 108 198V206C72 202 54 212 50 234z", "#aab5bf") + path("M108 196L120 244H96z", "#3d6fae")
    return WALL + faint(disc(107, 110, 86, "#fff"), 0.35) + plume + helm + visor + collar + disc(62, 116, 7, "#b58a3a") + disc(154, 116, 7, "#b58a3a")


def crown() -> str:
    """Draw the card of strength 10."""
    cushion = path("M20 200C16 178 40 176 107 176C174 176 198 178 194 200C198 222 174 228 107 228C40 228 16 " "222 20 200z", "#7a1f3a") + path("M34 190Q107 178 180 190Q107 196 34 190z", "#b5446a") + disc(22, 202, 8, "#e8b93a") + disc(192, 202, 8, "#e8b93a")
    gold = path("M44 176L30 84L68 122L78 64L107 112L136 64L146 122L184 84L170 176Q107 190 44 176z", "#d9a520") + path("M44 176L30 84L68 122L78 64L107 112V184Q72 184 44 176z", "#f6d260") + path("M42 156Q107 170 172 156L170 176Q107 190 44 176z", "#a87a10")
    jewels = disc(30, 80, 8, "#e24a4a") + disc(78, 60, 9, "#4aa3e2") + disc(136, 60, 9, "#4aa3e2") + disc(184, 80, 8, "#e24a4a") + path("M107 84L118 98L107 112L96 98z", "#f4f7f9") + many(path("M0-7L6 0L0 7L-6 0z", "#57c27a"), [(66, 166), (107, 172, 1.3), (148, 166)], "j")
    rays = faint(ring(path("M-5-50L0-140L5-50z", "#fff6d0"), 107, 120, 14, "y"), 0.6)
    return WALL + rays + faint(disc(107, 120, 80, "#fff6d0"), 0.5) + FLOOR + cushion + gold + jewels + path(star(60, 104, 14, 3, 4), "#fff") + path(star(150, 134, 10, 2, 4), "#fff")


PICTURES = (needle, coin, key, bell, clockwork, anvil, sword, shield, knight, crown)
