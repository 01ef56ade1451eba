"""Drawings of wood: growing things, from a sprout to the forest's heart."""

from math import cos, pi, sin

from scripts.faces.shapes import box, disc, faint, line, many, moved, n, oval, path, ring, star

LEAF = "M0 0C-9-8-8-22 0-32C8-22 9-8 0 0z"
GROUND = path("M0 206Q107 184 214 206V244H0z", "#5b8f4a") + path("M0 222Q80 208 214 226V244H0z", "#3f6f38")


def sprout() -> str:
    """Draw the card of strength 1."""
    soil = path("M58 214Q107 168 156 214z", "#6b4a2a")
    return GROUND + soil + line("M107 196C106 170 110 150 107 122", "#3b8f3f", 7) + "".join(
        moved(path(LEAF, c), 107, y, s, t) for c, y, s, t in (("#56b354", 128, 2, -58), ("#3f9a45", 128, 2, 58), ("#8bd66f", 130, 1.1, 0))
    ) + disc(64, 60, 22, "#fff3b0")


def mushroom() -> str:
    """Draw the card of strength 2."""
    stem = path("M90 206C98 180 96 160 92 140H126C122 160 120 180 128 206z", "#f4e8cf")
    cap = path("M44 146C44 96 78 70 108 70C142 70 172 98 172 146Q108 128 44 146z", "#4f7f3c")
    moss = many(disc(0, 0, 8, "#a7cf72"), [(78, 112), (108, 90, 1.3), (140, 116, 1.1), (102, 126, 0.7), (158, 136, 0.6), (62, 136, 0.6)], "m")
    eyes = disc(101, 170, 4, "#3b2a1a") + disc(119, 170, 4, "#3b2a1a") + line("M103 182Q110 188 117 182", "#3b2a1a", 3)
    return GROUND + stem + cap + moss + eyes + moved(stem + cap, 136, 128, 0.4) + moved(stem + cap, 4, 142, 0.35)


def fern() -> str:
    """Draw the card of strength 3."""
    places = [(107 + 26 * sin(k * 0.29) * (1 - k / 17), 196 - k * 11.4, 1.3 - k * 0.075, side * (62 - k * 2)) for k in range(1, 12) for side in (-1, 1)]
    stem = line("M104 208C120 170 132 120 108 58", "#2f6b35", 5)
    curl = line("M108 60C104 34 136 30 134 52C133 66 116 62 119 52", "#2f6b35", 5)
    return GROUND + faint(disc(150, 60, 44, "#fff6c9"), 0.8) + stem + many(path("M0 0C-6-12-3-30 0-42C3-30 6-12 0 0z", "#3f9a45"), places, "f") + curl


def reeds() -> str:
    """Draw the card of strength 4."""
    water = path("M0 190H214V244H0z", "#7cbcc4") + line("M20 206H70M120 214H190M40 228H120", "#d9f2f0", 3)
    stalks = "".join(line(f"M{x} 216Q{x + b} 150 {x + 2 * b} {y}", "#4d7d35", 5) for x, b, y in ((60, -6, 80), (84, -2, 56), (107, 0, 40), (130, 3, 62), (152, 8, 84)))
    heads = many(box(-7, 0, 14, 42, "#6a4323", 7) + line("M0 0V-14", "#4d7d35", 3), [(49, 66, 1, -6), (80, 44, 1, -2), (107, 30), (136, 50, 1, 4), (167, 70, 1, 9)], "h")
    fly = moved(line("M-16 0H14", "#1f5f6b", 4) + faint(many(oval(0, -10, 4, 12, "#fff"), [(4, 0, 1, 20), (4, 0, 1, -30), (4, 0, 1, 160), (4, 0, 1, 210)], "d"), 0.85), 150, 40, 1, -20)
    return water + stalks + heads + fly


def bamboo() -> str:
    """Draw the card of strength 5."""
    joint = box(-10, -38, 20, 36, "#5da34a", 4) + box(-10, -38, 6, 36, "#9fd07a", 3)
    canes = [(x, y, s) for x, s in ((60, 1), (107, 1.25), (156, 0.9)) for y in range(214, -10, -int(39 * s))]
    leaves = many(path(LEAF, "#2f7d3c"), [(70, 90, 1.4, 110), (70, 92, 1.2, 70), (120, 60, 1.6, 100), (120, 62, 1.3, 140), (96, 130, 1.5, -100), (96, 130, 1.2, -140), (146, 140, 1.2, -80), (166, 104, 1.2, 80)], "l")
    return faint(disc(107, 90, 70, "#fff8d6"), 0.7) + GROUND + many(joint, canes, "j") + leaves


def thorns() -> str:
    """Draw the card of strength 6."""
    vine = ("M-4 230C60 236 70 170 46 140C18 104 66 60 104 92C140 122 96 170 130 190C176 214 196 150 " "168 124C140 96 160 50 220 60")
    spike = path("M-5 0L0-20L5 0z", "#2b4a1f")
    places = [(30, 226, 1, 10), (62, 196, 1, 80), (44, 138, 1, -50), (46, 104, 1, -80), (66, 82, 1, -20), (98, 88, 1, 30), (116, 118, 1, 80), (112, 150, 1, -90), (128, 188, 1, -50), (152, 198, 1, 160), (178, 176, 1, 90), (170, 126, 1, 60), (156, 102, 1, -70), (166, 74, 1, -40), (196, 60, 1, 0)]
    rose = ring(path("M0 0C-16-10-14-30 0-34C14-30 16-10 0 0z", "#c2447e"), 0, 0, 6, "r") + disc(0, 0, 12, "#f7c1d8")
    return faint(disc(104, 122, 60, "#fff6c9"), 0.6) + many(spike, places, "t") + line(vine, "#2b4a1f", 12) + line(vine, "#6a9a45", 5) + moved(f'<g id="o">{rose}</g>', 84, 148, 0.9) + moved('<use href="#o"/>', 172, 44, 0.55)


def birch() -> str:
    """Draw the card of strength 7."""
    bark = path("M90 214C98 150 96 80 100 10H124C122 80 124 150 134 214z", "#fbfaf4")
    marks = line("M97 40H108M114 62H123M97 90H112M112 116H125M96 142H106M112 166H128M94 188H110", "#2b2b28", 4)
    boughs = line("M102 80Q70 60 52 30M122 60Q150 44 168 14M122 108Q158 96 184 70M98 120Q64 112 36 88", "#e9e6da", 6)
    gold = [(52, 30), (68, 46), (36, 88), (60, 104), (168, 14), (152, 40), (184, 70), (160, 92), (40, 50), (28, 70), (186, 34), (196, 56), (84, 24), (140, 22), (76, 74), (148, 70), (44, 112), (178, 96)]
    return GROUND + many(path("M0 14C-14 8-13-8 0-15C13-8 14 8 0 14z", "#e2b93b"), [(x, y, 1, 37 * k % 90 - 45) for k, (x, y) in enumerate(gold)], "b") + boughs + bark + marks


def willow() -> str:
    """Draw the card of strength 8."""
    trunk = path("M84 216C100 180 92 140 96 96H122C124 140 116 180 134 216z", "#6b4a2a")
    strands = "".join(
        line(f"M107 70Q{n(107 + 80 * cos(a))} {n(70 - 60 * sin(a))} {n(107 + 104 * cos(a))} " f"{n(206 - 70 * sin(a) ** 3)}", c, w)
        for a, c, w in ((pi * k / 18, ("#3f7d3a", "#5fa34e", "#86c06a")[k % 3], 9 - k % 3) for k in range(19))
    )
    return GROUND + oval(107, 222, 90, 12, "#8fc7cf") + trunk + strands + oval(107, 64, 34, 24, "#4c8f45")


def pine() -> str:
    """Draw the card of strength 9."""
    tree = box(-8, 0, 16, 30, "#5b3b1f") + "".join(
        path(f"M0 {-y - 66}L{w} {-y}Q{w // 2} {-y - 10} 0 {-y}T-{w} {-y}z", c) for y, w, c in ((0, 60, "#1d4d33"), (38, 50, "#256040"), (76, 40, "#2f744d"), (112, 28, "#3f8a5c"))
    )
    return disc(160, 52, 26, "#fff9df") + faint(moved(tree, 36, 190, 0.5) + moved(tree, 184, 192, 0.6) + moved(tree, 62, 196, 0.4), 0.6) + GROUND + moved(tree, 107, 190, 1) + path(star(107, 18, 13, 5, 5), "#f7d154")


def heart() -> str:
    """Draw the card of strength 10."""
    crown = many(disc(0, 0, 34, "#2f7d3c"), [(56, 92), (84, 58), (130, 58), (160, 92), (170, 124, 0.7), (44, 124, 0.7), (107, 40, 0.8)], "c") + many(disc(0, 0, 22, "#62b257"), [(66, 78), (98, 48), (138, 56), (150, 96), (58, 112, 0.7)], "o")
    trunk = path("M58 226C92 196 84 150 70 116L92 128L104 98L118 128L146 112C130 150 124 196 158 226Q107 " "200 58 226z", "#5a3a1e")
    glow = path("M107 190C84 170 84 146 97 146C104 146 107 152 107 156C107 152 111 146 118 146C131 146 " "130 170 107 190z", "#ffe27a")
    rays = ring(path("M-2-12L0-40L2-12z", "#fff3b0"), 107, 166, 12, "y")
    return faint(disc(107, 110, 100, "#fffbe0"), 0.7) + GROUND + crown + trunk + faint(rays, 0.7) + glow


PICTURES = (sprout, mushroom, fern, reeds, bamboo, thorns, birch, willow, pine, heart)
