"""Drawings of earth: solid things, from a pebble to the root of the mountain."""

from scripts.faces.shapes import box, disc, faint, line, many, moved, oval, path

GROUND = path("M0 208Q107 190 214 210V244H0z", "#b07a3a") + path("M0 224Q90 212 214 228V244H0z", "#8a5a26")
SUN = disc(164, 52, 24, "#fff6da")
FAR = path("M0 180L50 130L84 164L130 112L176 160L214 136V244H0z", "#d8a06a")


def pebble() -> str:
    """Draw the card of strength 1."""
    stone = path("M58 206C46 174 70 140 108 138C148 138 170 172 158 206Q108 216 58 206z", "#9a8a78") + path("M70 176C76 156 94 148 112 150C96 156 84 166 80 182z", "#c4b6a2")
    face = disc(94, 178, 5, "#2f2418") + disc(124, 178, 5, "#2f2418") + line("M100 192Q109 200 118 192", "#2f2418", 4)
    sprig = line("M108 140C106 126 112 118 110 106", "#5f8a3a", 4) + path("M110 110C96 108 92 96 94 90C106 92 112 100 110 110z", "#7aa84a") + path("M110 112C122 108 128 98 126 90C116 94 110 102 110 112z", "#5f8a3a")
    small = path("M-14 8C-18-6-6-14 2-12C14-12 18 2 13 8z", "#8a7a68")
    return SUN + FAR + GROUND + moved(small, 36, 214, 1) + moved(small, 182, 216, 1.2) + stone + sprig + face


def jug() -> str:
    """Draw the card of strength 2."""
    body = path("M84 92C88 108 58 122 58 158C58 190 84 210 107 210C130 210 156 190 156 158C156 122 126 " "108 130 92z", "#b5582a") + path("M80 128C66 140 64 176 82 194C74 174 76 148 88 128z", "#d98a56")
    lip = oval(107, 90, 30, 8, "#8a3e1a") + oval(107, 88, 24, 5, "#4a2010") + line("M134 100C172 96 176 140 150 148", "#b5582a", 9)
    band = line("M60 150H154M64 174H150", "#f3d9a8", 3) + path("M62 162l9-9l9 9l9-9l9 9l9-9l9 9l9-9l9 9l9-9l8 8", "none", ' stroke="#f3d9a8" stroke-width="3"')
    return SUN + FAR + GROUND + oval(107, 210, 54, 8, "#6a4420") + body + lip + band


def dune() -> str:
    """Draw the card of strength 3."""
    one = path("M0 170C60 110 110 110 150 150C176 176 196 180 214 176V244H0z", "#d99a4e") + path("M96 124C110 150 90 170 120 196C90 220 40 220 0 230V170C50 118 84 112 96 124z", "#f0bd72")
    two = path("M0 226C70 186 130 196 214 214V244H0z", "#b5742e") + line("M20 222Q80 200 140 208M60 232Q110 216 170 222", "#e0a860", 3)
    walk = "".join(moved(line("M-7 0V12M-2 0V12M6 0V12M11 0V12", "#4a2a12", 2.5) + path("M-12 2C-12-8-6-6-4-12C0-16 4-12 6-8C10-12 14-6 14 0L20-10L24-12L22-6L16 4z", "#6a3e1a"), x, y, s) for x, y, s in ((126, 112, 0.9), (156, 132, 0.9)))
    return disc(60, 62, 30, "#fff6da") + line("M0 100Q50 90 107 102T214 96", "#f6d49a", 3) + one + walk + two


def cairn() -> str:
    """Draw the card of strength 4."""
    stones = "".join(oval(x, y, rx, ry, c) + oval(x - rx * 0.25, y - ry * 0.35, rx * 0.55, ry * 0.35, light) for x, y, rx, ry, c, light in (
        (107, 200, 58, 18, "#7d6a55", "#a08c74"), (104, 170, 46, 16, "#93795a", "#b89c7a"), (110, 142, 36, 15, "#6f5f4e", "#96826c"),
        (105, 116, 27, 13, "#a3865f", "#c9ab82"), (109, 94, 18, 11, "#7d6a55", "#a08c74"), (107, 76, 10, 9, "#93795a", "#c9ab82")))
    bird = path("M107 66C96 58 96 46 106 44C114 42 118 48 116 54L124 56L115 60C116 66 112 68 107 66z", "#3a2a1c") + disc(110, 50, 1.8, "#fff")
    return SUN + FAR + GROUND + stones + bird


def mole() -> str:
    """Draw the card of strength 5."""
    hill = path("M10 216C50 196 66 160 107 156C148 160 164 196 204 216Q107 236 10 216z", "#6a4020") + many(disc(0, 0, 5, "#8a5a30"), [(50, 206), (70, 190), (150, 192), (168, 208), (96, 212), (124, 206), (36, 216)], "c")
    body = path("M66 176C62 120 80 92 107 92C134 92 152 120 148 176Q107 196 66 176z", "#3f342c") + path("M86 150C92 136 122 136 128 150C126 172 88 172 86 150z", "#5a4c42")
    face = path("M98 124C98 112 116 112 116 124C116 132 98 132 98 124z", "#e09a96") + disc(90, 112, 3.5, "#fff") + disc(124, 112, 3.5, "#fff") + line("M96 128L72 122M96 132L74 136M118 128L142 122M118 132L140 136", "#a08c7a", 1.5)
    paw = path("M-14 6C-18-8-6-16 4-14C16-12 18 2 12 8L8 20L4 8L0 20L-4 8L-9 19z", "#e0a8a0")
    crown = path("M84 96L80 66L94 80L107 60L120 80L134 66L130 96Q107 88 84 96z", "#e8b93a") + disc(107, 82, 4, "#b5331e")
    return SUN + FAR + GROUND + body + crown + face + hill + moved(paw, 66, 170, 1, 14) + moved(paw, 148, 170, 1, -14)


def crystals() -> str:
    """Draw the card of strength 6."""
    cave = path("M0 0H214V244H0z", "#3d2a1a") + path("M20 244C10 150 40 60 107 44C174 60 204 150 194 244z", "#6a4a2c") + path("M44 244C40 160 62 92 107 80C152 92 174 160 170 244z", "#96703f")
    gem = path("M0 0L-15-18L-12-86L0-110L12-86L15-18z", "#d98ad0") + path("M0 0L-15-18L-12-86L0-110z", "#f3c2ec") + path("M0-110L12-86L0-76L-12-86z", "#fff0fc")
    gems = "".join(moved(gem, x, y, s, t) for x, y, s, t in ((50, 232, 0.8, -34), (166, 234, 0.8, 32), (74, 226, 1.05, -16), (146, 228, 1, 18), (107, 230, 1.5, 0), (90, 236, 0.6, -28), (130, 238, 0.6, 30)))
    drips = path("M40 0L52 60L62 0zM84 0L92 38L100 0zM128 0L140 52L148 0zM170 0L178 34L188 0z", "#2c1c10")
    return cave + faint(disc(107, 150, 74, "#ffd6f6"), 0.35) + gems + drips


def stones() -> str:
    """Draw the card of strength 7."""
    tall = path("M-15 100L-13 6C-10-6 8-8 13 4L16 100z", "#7a6a58") + path("M-15 100L-13 6C-11 0-6-4-2-4L-4 100z", "#a39178")
    ring = moved(tall, 44, 120, 0.8) + moved(tall, 170, 120, 0.8) + path("M66 62L148 60L152 78L62 80z", "#8c7a64") + path("M66 62L148 60L149 66L65 68z", "#b5a286") + moved(tall, 80, 80, 1.2) + moved(tall, 134, 80, 1.2)
    runes = line("M76 120L84 132L76 144M130 118V146M130 130L138 122M74 166H86M126 166L138 172", "#f6d27a", 3)
    return disc(107, 116, 34, "#fffbe8") + faint(disc(107, 116, 60, "#fff3c4"), 0.5) + FAR + GROUND + ring + runes + line("M20 222l4-12M28 224l2-14M186 224l4-12M194 226l2-12", "#6f7a34", 3)


def mesa() -> str:
    """Draw the card of strength 8."""
    layers = "".join(path(d, c) for d, c in (
        ("M44 90L150 84L158 104H38z", "#f0b072"), ("M38 104H158L164 128H32z", "#d9803e"), ("M32 128H164L166 150H30z", "#b85a2a"),
        ("M30 150H166L176 180H24z", "#e0904c"), ("M24 180H176L196 216H6z", "#a84c24")))
    shade = faint(path("M118 86L150 84L196 216H128L134 150z", "#5a2410"), 0.35) + line("M60 108V124M88 132V146M110 110V122M70 156L64 176M100 156V174", "#8a3c1a", 2.5)
    tower = path("M180 120L198 118L204 216H174z", "#c4682e") + path("M180 120L198 118L199 138H178z", "#eaa45e")
    hawk = line("M30 60Q40 50 48 60Q56 50 66 60", "#4a2a18", 3) + line("M76 42Q82 36 87 42Q92 36 98 42", "#4a2a18", 2.5)
    cactus = line("M24 226V196M24 214H14V204M24 210H34V200", "#4f7a3a", 6)
    return SUN + tower + layers + shade + GROUND + cactus + hawk


def giant() -> str:
    """Draw the card of strength 9."""
    body = path("M62 116L84 96H132L154 116L148 176H66z", "#7d6a55") + path("M62 116L84 96H104L92 176H66z", "#9c876e")
    arms = path("M62 116L34 130L24 186L46 202L60 180L56 150z", "#6f5d4a") + path("M154 116L182 130L190 186L168 202L156 180L158 150z", "#6f5d4a") + path("M24 186L46 202L40 214L22 206zM190 186L168 202L174 214L192 206z", "#93795a")
    legs = path("M68 174H100L98 224H62zM116 174H146L152 224H118z", "#65533f")
    head = path("M82 96L80 62L94 44H122L136 62L132 96z", "#93795a") + path("M80 62L94 44H108L100 66z", "#b89c7a") + box(88, 70, 14, 7, "#ffd86a") + box(113, 70, 14, 7, "#ffd86a") + line("M94 88H120", "#4a3a28", 4)
    moss = path("M78 60C84 40 128 38 138 60C126 52 116 60 108 54C98 60 88 54 78 60z", "#6f9a3e") + path("M62 116C72 104 84 100 92 104C84 112 72 112 62 116zM154 116C146 106 136 102 128 104C134 " "112 146 112 154 116z", "#6f9a3e") + line("M100 120L108 140L102 160M128 124L122 138", "#5a4a38", 3)
    return SUN + FAR + GROUND + legs + arms + body + head + moss


def root() -> str:
    """Draw the card of strength 10."""
    peak = path("M107 8L180 118H34z", "#8a6a48") + path("M107 8L128 40L112 48L104 38L92 50L84 42z", "#fff8ea") + path("M107 8L72 62L34 118H96z", "#a88660") + path("M107 8L84 42L92 50L104 38z", "#ffffff")
    deep = path("M0 118H214V244H0z", "#5a3a1e") + line("M0 146Q60 138 107 150T214 144M0 178Q60 170 107 184T214 176M0 212Q70 204 107 216T214 208", "#7a5230", 4)
    roots = "".join(line(d, "#c98b3a", w) for d, w in (("M107 112V166", 16), ("M107 140C90 160 60 156 40 180", 10), ("M107 140C124 160 154 156 174 180", 10), ("M70 164C56 186 56 200 44 222", 6), ("M144 164C158 186 158 200 170 222", 6), ("M100 160C92 190 84 200 82 232", 7), ("M114 160C122 190 130 200 132 232", 7)))
    core = faint(disc(107, 184, 34, "#ffb83a"), 0.45) + path("M107 158L128 184L107 214L86 184z", "#ffcf4a") + path("M107 158L107 214L86 184z", "#fff0b0")
    gems = many(path("M0-6L5 0L0 7L-5 0z", "#f3a0a0"), [(24, 164), (188, 162), (30, 228), (192, 230), (64, 212, 0.8), (152, 210, 0.8)], "g")
    return faint(disc(107, 60, 92, "#fff6da"), 0.6) + deep + peak + roots + core + gems


PICTURES = (pebble, jug, dune, cairn, mole, crystals, stones, mesa, giant, root)
