"""Drawings of fire: burning things, from a spark to the phoenix."""

from scripts.faces.shapes import box, disc, faint, flame, line, many, moved, oval, path, ring, star

GROUND = path("M0 210Q107 192 214 212V244H0z", "#3a1414")
NIGHT = "".join(disc(x, y, r, "#ffe9c4") for x, y, r in ((30, 70, 1.5), (60, 110, 1), (174, 90, 1.5), (150, 58, 1), (96, 46, 1.2), (190, 130, 1), (40, 150, 1)))


def burning(x: float, y: float, w: float, h: float) -> str:
    """Draw a flame in three colours."""
    return path(flame(x, y, w, h), "#e2471e") + path(flame(x, y, w * 0.7, h * 0.72), "#f8992b") + path(flame(x, y, w * 0.38, h * 0.42), "#ffe27a")


def spark() -> str:
    """Draw the card of strength 1."""
    trail = line("M24 216C60 200 84 172 100 140", "#f59a3c", 4) + line("M40 226C70 206 92 180 104 150", "#ffd27a", 2)
    dots = many(disc(0, 0, 3, "#ffd27a"), [(70, 150), (140, 176, 0.7), (160, 96, 1.2), (60, 80, 0.8), (146, 140, 1), (88, 60, 0.6), (178, 130, 0.7)], "d")
    return NIGHT + GROUND + trail + dots + faint(disc(112, 112, 46, "#ffb14a"), 0.35) + path(star(112, 112, 40, 9, 4), "#ffe9a8") + path(star(112, 112, 22, 8, 8), "#fff")


def candle() -> str:
    """Draw the card of strength 2."""
    wax = box(82, 128, 50, 80, "#f7e6c8", 6) + path("M82 134q8 26 14 6q8 40 16 4q10 18 20-10v-6H82z", "#fff6e2") + box(82, 128, 12, 80, "#fffaf0", 6)
    eyes = disc(98, 172, 3.5, "#5a1408") + disc(116, 172, 3.5, "#5a1408") + line("M101 182q6 5 12 0", "#5a1408", 2.5)
    dish = oval(107, 210, 62, 12, "#8a5a2b") + oval(107, 206, 50, 8, "#c98b45") + line("M164 208a12 12 0 1 1-4 12", "#8a5a2b", 6)
    return NIGHT + GROUND + faint(disc(107, 92, 70, "#ffb14a"), 0.35) + dish + wax + line("M107 130V114", "#3a1414", 3) + burning(107, 124, 34, 64) + eyes


def nest() -> str:
    """Draw the card of strength 3."""
    twigs = "".join(line(d, c, 7) for d, c in (("M36 196Q107 236 178 196", "#4a2413"), ("M44 182Q100 222 172 186", "#6a3518"), ("M52 204Q120 206 164 178", "#8a4a20"), ("M34 186Q90 204 128 214", "#5a2c14"), ("M180 184Q130 210 90 216", "#8a4a20")))
    egg = path("M0 24C-20 24-22 2-14-12C-8-24 8-24 14-12C22 2 20 24 0 24z", "#d9431c") + path("M-12 6l8-8l6 8l8-10", "none", ' stroke="#ffd27a" stroke-width="4" stroke-linejoin="round"')
    return NIGHT + GROUND + faint(disc(107, 150, 76, "#ff8a2a"), 0.4) + burning(107, 182, 90, 130) + moved(egg, 78, 166, 1.1, -14) + moved(egg, 136, 166, 1.1, 14) + moved(egg, 107, 158, 1.3) + twigs


def lantern() -> str:
    """Draw the card of strength 4."""
    body = path("M62 92C42 130 46 166 66 190H148C168 166 172 130 152 92z", "#e2471e") + path("M86 92C76 130 78 166 88 190H126C136 166 138 130 128 92z", "#ffb14a") + line("M56 118H158M51 142H163M56 168H158", "#a52a12", 2)
    ends = box(72, 80, 70, 14, "#4a1408", 4) + box(78, 188, 58, 12, "#4a1408", 4) + line("M107 80V0", "#2a0a0a", 4) + line("M107 200V222M98 222V240M107 222V244M116 222V240", "#ffd27a", 4)
    small = path("M-14-12C-22 4-18 16-12 20H12C18 16 22 4 14-12z", "#f08a3a") + box(-10, -18, 20, 6, "#4a1408")
    return NIGHT + faint(disc(107, 140, 100, "#ffcf70"), 0.4) + moved(small, 34, 200, 0.8) + moved(small, 180, 80, 0.9) + moved(small, 182, 190, 0.5) + body + ends + path(flame(107, 180, 24, 50), "#fff3c0")


def torch() -> str:
    """Draw the card of strength 5."""
    handle = path("M92 134L122 134L114 244H100z", "#6a3a1a") + path("M92 134H104L106 244H100z", "#8a5426") + path("M86 118H128L122 144H92z", "#3a2a24") + line("M90 128H124M93 138H121", "#a8865a", 3)
    sparks = many(disc(0, 0, 3, "#ffe27a"), [(60, 60), (156, 74, 1.2), (70, 26, 0.8), (148, 30, 0.7), (48, 104, 0.6), (168, 112, 0.7)], "k")
    return NIGHT + faint(disc(107, 80, 84, "#ff9a3a"), 0.35) + handle + burning(107, 124, 84, 118) + sparks


def salamander() -> str:
    """Draw the card of strength 6."""
    body = ("M40 204C70 216 84 190 70 168C54 142 84 116 112 130C142 146 160 118 146 92C138 76 146 62 " "160 60")
    legs = line("M66 178L42 164M74 160L96 178M104 130L96 104M126 138L142 160", "#b5330f", 9)
    toes = many(line("M0 0L-7-5M0 0L-9 1M0 0L-6 7", "#b5330f", 4), [(42, 164), (96, 178, 1, 180), (96, 104, 1, 70), (142, 160, 1, 200)], "t")
    spots = many(disc(0, 0, 5, "#ffd23a"), [(68, 194), (70, 168), (78, 142), (104, 130), (132, 134), (149, 112)], "o")
    head = path("M146 70C146 46 184 34 196 44C204 56 186 80 162 80z", "#e2471e") + disc(176, 52, 5, "#ffe9a8") + disc(177, 52, 2.2, "#2a0a0a")
    flames = burning(36, 212, 30, 44) + burning(186, 222, 40, 50)
    return GROUND + path("M0 180L50 160L90 186L150 158L214 184V244H0z", "#5a2418") + flames + legs + toes + line(body, "#e2471e", 24) + spots + head


def fox() -> str:
    """Draw the card of strength 7."""
    tail = path("M64 200C12 200 6 140 34 104C36 130 50 130 52 146C56 112 72 108 66 80C96 112 100 170 84 " "206z", "#e2471e") + path("M62 196C34 190 28 158 40 134C48 160 60 150 60 126C78 150 84 180 76 202z", "#ffb14a")
    body = path("M72 212C76 168 96 150 126 148C150 156 160 186 158 212z", "#d9431c") + path("M112 212C112 186 120 166 130 158C144 170 146 192 144 212z", "#ffe9c4")
    head = path("M100 94L96 58L122 76H148L174 58L170 94C172 128 146 150 135 154C124 150 98 128 100 94z", "#e2571e") + path("M104 112C120 116 130 130 135 152C140 130 150 116 166 112C164 134 146 150 135 154C124 150 " "106 134 104 112z", "#ffe9c4")
    face = path("M129 144H141L135 152z", "#2a0a0a") + line("M114 106L126 110M156 106L144 110", "#2a0a0a", 4) + path("M101 64L104 86L116 78z", "#4a1408") + path("M169 64L166 86L154 78z", "#4a1408") + path(flame(135, 96, 14, 26), "#ffe27a")
    return NIGHT + faint(disc(56, 150, 64, "#ff9a3a"), 0.4) + GROUND + tail + body + head + face


def comet() -> str:
    """Draw the card of strength 8."""
    tail = path("M150 150C110 110 60 60-10 30C30 70 70 120 108 188z", "#e2471e") + path("M146 152C112 122 70 84 20 62C60 96 90 132 118 182z", "#f8992b") + path("M142 156C118 134 90 112 62 98C88 122 108 146 126 176z", "#ffe27a")
    rock = disc(136, 164, 34, "#7a2a12") + path("M104 176A34 34 0 0 0 168 176A46 40 0 0 1 104 176z", "#4a1408") + disc(126, 154, 7, "#a8431c") + disc(148, 164, 5, "#a8431c") + disc(134, 178, 4, "#a8431c")
    more = line("M150 20L190 48M176 10L206 30M10 130L44 160", "#ffd27a", 3)
    return NIGHT + GROUND + path("M0 214L40 196L70 212L120 200L170 214L214 200V244H0z", "#220808") + faint(disc(132, 160, 62, "#ffb14a"), 0.35) + more + tail + rock


def volcano() -> str:
    """Draw the card of strength 9."""
    cone = path("M8 224C50 190 70 130 82 98H132C146 130 164 190 206 224z", "#4a1c14") + path("M82 98H132L140 120L128 112L120 140L108 116L98 132L90 112L76 120z", "#f8992b")
    lava = path("M98 98C96 130 104 150 92 176C84 196 90 212 80 230H112C114 206 106 196 114 176C122 156 " "112 130 118 98z", "#ff6a1e") + line("M106 100C106 140 110 160 100 186C96 204 98 214 94 230", "#ffd23a", 5) + line("M126 110C134 150 142 160 146 190C150 208 156 214 158 228", "#e2471e", 8)
    smoke = faint(many(disc(0, 0, 22, "#2a1220"), [(70, 26), (104, 14, 1.3), (146, 28, 1.1), (40, 10), (178, 8, 1.1)], "m"), 0.85)
    bombs = many(disc(0, 0, 5, "#ffb14a"), [(60, 62), (152, 58, 1.2), (42, 96, 0.8), (170, 92, 0.9), (84, 44, 0.7)], "b")
    return smoke + burning(107, 106, 76, 96) + bombs + cone + lava + path("M0 218Q107 238 214 218V244H0z", "#2a0a0a")


def phoenix() -> str:
    """Draw the card of strength 10."""
    wing = path("M0 " "0C-20-40-60-64-98-68C-84-56-82-48-80-44C-92-46-96-44-100-42C-84-32-80-24-76-18C-86-18-90-14-94-10C-72-2-66 " "6-60 12C-66 14-70 16-72 20C-44 28-18 26 0 18z", "#e2471e") + path("M0 2C-16-28-44-46-72-50C-60-38-60-32-58-28C-48-10-26 8 0 12z", "#f8992b") + path("M0 4C-10-16-28-28-44-30C-38-16-22 0 0 8z", "#ffe27a")
    tails = "".join(line(d, c, w) for d, c, w in (("M107 170C90 200 60 210 40 236", "#e2471e", 9), ("M107 170C124 200 154 210 174 236", "#e2471e", 9), ("M107 170C100 204 84 220 78 244", "#f8992b", 8), ("M107 170C114 204 130 220 136 244", "#f8992b", 8), ("M107 170V244", "#ffe27a", 7)))
    body = path("M107 84C128 108 126 150 107 182C88 150 86 108 107 84z", "#d9431c") + path("M107 112C118 126 116 150 107 168C98 150 96 126 107 112z", "#ffb14a")
    head = disc(107, 84, 17, "#e2571e") + path("M102 90H112L107 104z", "#ffd23a") + disc(101, 82, 3, "#2a0a0a") + disc(113, 82, 3, "#2a0a0a") + path("M98 72C94 58 98 50 94 42C102 46 104 54 107 46C110 54 112 46 120 42C116 50 120 58 116 72z", "#ffb14a")
    rays = faint(ring(path("M-4-60L0-120L4-60z", "#ffe9a8"), 107, 120, 12, "r"), 0.35)
    return rays + faint(disc(107, 124, 88, "#ffd27a"), 0.4) + tails + moved(wing, 100, 118) + f'<g transform="translate(114 118) scale(-1 1)">{wing}</g>' + body + head


PICTURES = (spark, candle, nest, lantern, torch, salamander, fox, comet, volcano, phoenix)
