"""Drawings of water: flowing things, from a drop of dew to the leviathan."""

from scripts.faces.shapes import disc, faint, line, many, moved, oval, path, ring, spiral, waves

SEA = path(waves(186, 14, 54), "#2f83c4") + path(waves(204, 12, 46), "#1d6cb0") + path(waves(222, 10, 60), "#125089")


def drop() -> str:
    """Draw the card of strength 1."""
    blade = path("M-4 90C40 84 120 100 190 190C200 204 210 226 214 244H150C120 180 60 120-4 122z", "#5fae5a") + line("M0 104C60 104 140 150 190 240", "#3c8a44", 3)
    bead = path("M107 54C124 84 140 100 140 126A33 33 0 0 1 74 126C74 100 90 84 107 54z", "#4aa3e2") + path("M90 112C84 124 88 140 98 146C94 134 94 122 98 110z", "#e6f6ff") + disc(122, 120, 4, "#fff")
    eyes = disc(98, 128, 4, "#0c2f57") + disc(118, 128, 4, "#0c2f57") + line("M102 138q6 5 12 0", "#0c2f57", 3)
    return disc(60, 60, 24, "#fffbe0") + blade + oval(112, 162, 30, 6, "#3c8a44") + bead + eyes + moved(path("M0-12C5-4 8-1 8 4A8 8 0 0 1-8 4C-8-1-5-4 0-12z", "#8fd0f5"), 170, 160, 0.9)


def shell() -> str:
    """Draw the card of strength 2."""
    sand = path("M0 190Q107 168 214 194V244H0z", "#f0dcae") + path("M0 214Q80 200 214 220V244H0z", "#dcc08a")
    fan = path("M107 206C60 200 34 150 44 104C56 80 84 66 107 66C130 66 158 80 170 104C180 150 154 200 " "107 206z", "#f3a7a0") + line("M107 202V70M104 202C84 160 74 120 76 78M110 202C130 160 140 120 138 78M100 202C70 170 54 " "140 54 98M114 202C144 170 160 140 160 98", "#d9736a", 4)
    rim = line("M46 104Q54 86 66 92Q72 72 86 80Q96 60 107 72Q118 60 128 80Q142 72 148 92Q160 86 168 104", "#fff0ee", 5)
    foam = path(waves(120, 8, 54), "#bfe4f8")
    return foam + sand + oval(107, 206, 50, 7, "#c7a86c") + fan + rim + path("M86 204H128L120 216H94z", "#d9736a") + disc(174, 214, 9, "#fff8f2") + disc(171, 211, 3, "#fff")


def cloud() -> str:
    """Draw the card of strength 3."""
    puff = many(disc(0, 0, 30, "#f4f9fd"), [(62, 98), (98, 74, 1.3), (140, 88, 1.15), (166, 106, 0.8), (44, 112, 0.7)], "p") + path("M28 106H186A24 24 0 0 1 170 134H44A22 22 0 0 1 28 106z", "#d4e3ef")
    eyes = disc(92, 104, 5, "#0c2f57") + disc(126, 104, 5, "#0c2f57") + line("M102 116Q109 122 116 116", "#0c2f57", 3.5) + faint(disc(80, 114, 7, "#f3a7a0") + disc(138, 114, 7, "#f3a7a0"), 0.8)
    rain = many(path("M0-10C4-3 6 0 6 4A6 6 0 0 1-6 4C-6 0-4-3 0-10z", "#1d6cb0"), [(52, 158), (80, 172), (108, 156), (136, 172), (164, 156), (66, 196, 0.8), (96, 204, 0.9), (122, 200, 0.8), (150, 202, 0.9)], "r")
    return disc(164, 50, 26, "#fff3b0") + puff + eyes + rain + path(waves(224, 8, 54), "#2f83c4")


def lilies() -> str:
    """Draw the card of strength 4."""
    pond = path("M0 110H214V244H0z", "#2f83c4") + line("M20 130H70M130 124H196M10 172H50M160 190H206M70 228H130", "#8fd0f5", 3)
    pad = path("M0 0L29-5A30 12 0 1 0 29 5z", "#4f9a4a") + line("M0 0L-26-4M0 0L-16 8M0 0L-8-11M0 0L14 10", "#38783a", 2)
    bloom = many(path("M0 0C-12-12-10-34 0-44C10-34 12-12 0 0z", "#f7c6da"), [(0, 0, 1, a) for a in (-72, 72, -44, 44, -20, 20, 0)], "b") + path("M0 2C-8-8-6-22 0-28C6-22 8-8 0 2z", "#fff3b0")
    frog = path("M-20 10C-24-8-10-16 0-16C10-16 24-8 20 10z", "#7ac24a") + disc(-9, -16, 6, "#7ac24a") + disc(9, -16, 6, "#7ac24a") + disc(-9, -17, 3, "#12301a") + disc(9, -17, 3, "#12301a") + line("M-10-2Q0 5 10-2", "#2f5f2a", 2.5)
    bank = path("M0 112C40 96 90 104 120 100S190 92 214 104V60H0z", "#8fc27a") + line("M20 104V70M28 102V58M36 104V76M190 98V64M198 98V54", "#5f944a", 4)
    return disc(164, 36, 20, "#fffbe0") + bank + pond + moved(pad, 60, 206, 1.2) + moved(pad, 168, 160, 0.8) + moved(pad, 106, 176, 1.5) + moved(bloom, 100, 174, 1.3) + moved(frog, 56, 196, 1)


def koi() -> str:
    """Draw the card of strength 5."""
    deep = path("M0 0H214V244H0z", "#2b7dbb") + line(spiral(107, 122, 96, 3.2, 0.96), "#5aa9dd", 2)
    fish = path("M0-62C22-46 24-6 8 30C18 50 30 54 34 70C18 66 8 60 0 50C-8 60-18 66-34 70C-30 54-18 50-8 " "30C-24-6-22-46 0-62z", "#fff8f0") + path("M0-62C14-52 20-34 18-20C6-8-8-10-18-22C-20-36-14-52 0-62zM-12 4C-2-4 10 2 13 12C8 26-4 " "24-12 14z", "#e8562a") + path("M18-20C34-22 42-14 44-4C32-4 24-6 17-8zM-18-20C-34-22-42-14-44-4C-32-4-24-6-17-8z", "#f9c3a8") + disc(-8, -48, 2.6, "#0c2f57") + disc(8, -48, 2.6, "#0c2f57")
    dark = fish.replace("#e8562a", "#20324a").replace("#f9c3a8", "#cfd8e2")
    return deep + moved(fish, 64, 122, 1.05, -8) + moved(dark, 150, 124, 1.05, 172) + many(disc(0, 0, 5, "none", ' stroke="#d9f0fb" stroke-width="2"'), [(106, 40), (118, 56, 0.6), (104, 204), (92, 214, 0.6), (196, 40, 0.8), (18, 206, 0.8)], "o")


def frost() -> str:
    """Draw the card of strength 6."""
    arm = line("M0 0V-88M0-30L-18-48M0-30L18-48M0-52L-16-68M0-52L16-68M0-72L-9-82M0-72L9-82", "#fff", 6) + path("M0-102L6-92L0-82L-6-92z", "#d9f0fb")
    ice = path("M0 216L30 196L60 214L100 200L140 216L180 198L214 214V244H0z", "#bfe0f3") + path("M0 232L50 216L110 234L170 218L214 234V244H0z", "#8fc6e8")
    snow = many(disc(0, 0, 3, "#fff"), [(24, 60), (190, 52, 0.8), (40, 190), (180, 180), (14, 130, 0.7), (200, 118, 0.9), (60, 24, 0.8), (150, 20)], "n")
    heart = path("M107 98L128 110V134L107 146L86 134V110z", "#5aa9dd") + path("M107 98L128 110L107 122L86 110z", "#e6f6ff")
    return path("M0 0H214V244H0z", "#3d7fb8") + faint(disc(107, 122, 104, "#8fd0f5"), 0.5) + snow + ice + ring(arm, 107, 122, 6, "a") + heart


def cascade() -> str:
    """Draw the card of strength 7."""
    cliffs = path("M0 40L60 30L70 244H0z", "#5f6f5a") + path("M214 40L150 30L142 244H214z", "#4f5f4c") + path("M0 40L60 30L62 74L40 90L50 140L20 160L30 244H0z", "#7f8f74") + path("M60 30H150L146 60H64z", "#6fae5a")
    fall = path("M66 46C72 40 140 40 146 46L150 214H60z", "#5aa9dd") + line("M78 50V206M96 46V212M114 46V208M132 50V212", "#d9f0fb", 6) + line("M87 60V150M105 70V180M123 56V140", "#fff", 3)
    mist = faint(many(disc(0, 0, 22, "#fff"), [(60, 214), (88, 208, 1.2), (124, 208, 1.2), (154, 214), (107, 220, 1.3)], "m"), 0.85)
    bow = faint(line("M22 214A86 86 0 0 1 194 214", "#f28a8a", 4) + line("M28 214A80 80 0 0 1 188 214", "#f6d27a", 4) + line("M34 214A74 74 0 0 1 182 214", "#8fd08a", 4), 0.75)
    trees = path("M20 40L34 0L48 36zM160 34L176-4L192 38z", "#2f6b45")
    return trees + cliffs + fall + bow + mist + path(waves(226, 8, 54), "#1d6cb0")


def maelstrom() -> str:
    """Draw the card of strength 8."""
    rings = "".join(oval(107, 140 + k * 4, 120 - k * 18, 84 - k * 13, c) for k, c in enumerate(("#2f83c4", "#4a9ad4", "#1d6cb0", "#3587c8", "#125089", "#0c2f57")))
    swirl = line(spiral(107, 148, 112, 3.4, 0.68), "#d9f0fb", 5)
    ship = path("M-16 0H18L12 12H-12z", "#6a3e1a") + line("M0 0V-30", "#4a2a12", 3) + path("M2-28C14-22 16-12 14-4H2z", "#fff8ea") + path("M-2-24C-10-18-12-10-10-4H-2z", "#e6dcc6")
    clouds = faint(many(disc(0, 0, 24, "#2a4a6a"), [(20, 20), (60, 10, 1.2), (107, 14, 1.1), (154, 8, 1.3), (198, 20)], "k"), 0.9)
    bolt = path("M172 32L154 64H166L156 92L186 54H172L182 32z", "#ffe27a")
    return path("M0 0H214V244H0z", "#5f8fb5") + path("M0 92H214V244H0z", "#1d5f9c") + rings + swirl + clouds + bolt + moved(ship, 44, 112, 1.2, -16)


def great_wave() -> str:
    """Draw the card of strength 9."""
    crest = path("M0 244V150C20 90 70 40 130 44C176 48 196 84 190 112C182 100 172 98 164 104C168 90 156 80 " "144 84C146 96 136 100 130 96C128 108 116 112 108 106C106 124 90 150 96 190C100 216 140 " "226 214 216V244z", "#125089") + path("M0 244V170C24 112 64 72 112 66C96 80 70 120 72 178C74 214 100 236 140 244z", "#2f83c4") + path("M20 244C14 190 36 130 76 96C58 128 46 180 66 244z", "#5aa9dd")
    foam = many(disc(0, 0, 9, "#fff"), [(190, 112), (178, 102), (164, 104, 1.1), (148, 86, 1.2), (130, 96), (110, 104), (168, 84, 1.2), (152, 64, 1.3), (128, 52, 1.2), (182, 92), (106, 54), (176, 72)], "f")
    spray = many(disc(0, 0, 3, "#fff"), [(204, 124), (196, 138), (176, 126), (150, 116), (128, 120, 0.8), (206, 98), (188, 58), (150, 36)], "s")
    hill = path("M146 206L172 160L198 206z", "#7d93a8") + path("M160 182L172 160L184 182L172 176z", "#fff")
    return disc(60, 46, 24, "#ffe9c4") + hill + path(waves(204, 8, 54), "#3d8fd0") + crest + foam + spray


def leviathan() -> str:
    """Draw the card of strength 10."""
    back = path("M8 190C10 120 70 92 126 100C160 106 176 132 186 150C196 138 200 120 196 100C206 108 212 " "120 210 132C222 122 230 124 232 128C222 150 206 176 180 190Q90 214 8 190z", "#173f6e") + path("M8 190C20 160 60 150 96 160C120 168 132 186 150 196Q70 210 8 190z", "#cfe4f2") + line("M20 186Q60 168 100 180M34 194Q70 182 108 192M14 178Q50 158 92 168", "#8fb4d0", 2.5)
    eye = disc(62, 144, 7, "#ffe27a") + disc(62, 144, 3, "#0c1f3a") + line("M50 134Q62 126 74 134", "#0c1f3a", 3) + line("M12 172Q50 168 78 156", "#0c2f57", 3)
    spout = "".join(line(d, "#e6f6ff", 6) for d in ("M104 98C102 70 88 52 66 54", "M106 98C104 66 98 42 84 28", "M108 98C110 66 118 42 132 30", "M110 98C112 72 126 54 148 56")) + many(disc(0, 0, 5, "#e6f6ff"), [(60, 62), (80, 22), (136, 24), (154, 64), (108, 26)], "o")
    stars = many(disc(0, 0, 2, "#fff6d0"), [(24, 30), (44, 74, 0.8), (178, 30), (196, 70, 0.8)], "t")
    return path("M0 0H214V170H0z", "#0f2f57") + stars + faint(disc(107, 90, 80, "#5aa9dd"), 0.35) + spout + back + eye + many(disc(0, 0, 3, "#5aa9dd"), [(96, 118), (116, 116), (136, 122), (152, 134)], "d") + SEA


PICTURES = (drop, shell, cloud, lilies, koi, frost, cascade, maelstrom, great_wave, leviathan)
