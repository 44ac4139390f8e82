"""Materials of render meshes: colour, roughness, and weaves that are computed from uvs in metres.

The weaves are plain versions of those of the page, ../web/src/scene/weaves.glsl.ts.
"""
from __future__ import annotations

from typing import Any, Callable, Union

import bpy

Value = Union[float, Any]  # a number, or the socket of a node that computes it


def material_of(values: dict[str, Any]) -> Any:
    """Returns the file's material for these values of the protocol; equal values share one."""
    color, roughness, pattern = [linear(part) for part in values["color"]], values["roughness"], values["pattern"]
    title = f"tweed {pattern} " + "-".join(f"{round(255 * part):02x}" for part in (*values["color"], roughness))
    material = bpy.data.materials.get(title)
    return material if material is not None else _make(title, color, roughness, pattern)


def linear(part: float) -> float:
    """Returns a part of a colour, sRGB in the protocol, as Blender has it."""
    return float(part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4)


def _make(title: str, color: list[float], roughness: float, pattern: str) -> Any:
    material = bpy.data.materials.new(title)
    material.diffuse_color = (*color, 1)  # what the solid viewport and Workbench draw
    material.roughness = roughness
    material.use_nodes = True
    graph = Graph(material.node_tree)
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    _set(shader, ("Base Color",), (*color, 1))
    _set(shader, ("Roughness",), roughness)
    _set(shader, ("Specular IOR Level", "Specular"), .5 if roughness < .5 else .15)
    _set(shader, ("Sheen Weight", "Sheen"), .3 if pattern in ("herringbone", "plain", "satin", "fur") else 0)
    if pattern in PATTERNS:
        PATTERNS[pattern](graph, shader, color)
    return material


def _set(node: Any, names: tuple[str, ...], value: Any) -> None:
    """Sets an input that has had several names in Blender's versions."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return


class Graph:
    """Makes nodes of a material, each from what it computes with."""

    def __init__(self, tree: Any) -> None:
        self._nodes, self._links = tree.nodes, tree.links
        coordinates = self._nodes.new("ShaderNodeTexCoord")
        place = self._nodes.new("ShaderNodeSeparateXYZ")
        self._links.new(coordinates.outputs["UV"], place.inputs[0])
        self.u, self.v = place.outputs[0], place.outputs[1]
        self.uv, self.body = coordinates.outputs["UV"], coordinates.outputs["Generated"]

    def math(self, operation: str, one: Value, other: Value = 0.0) -> Any:
        node = self._nodes.new("ShaderNodeMath")
        node.operation = operation
        self._feed(node.inputs[0], one)
        self._feed(node.inputs[1], other)
        return node.outputs[0]

    def ridge(self, phase: Value) -> Any:
        """Returns a rounded stripe from 0 to 1 across a phase of period 1."""
        wave = self.math("COSINE", self.math("MULTIPLY", phase, 6.2831853))
        return self.math("SUBTRACT", .5, self.math("MULTIPLY", wave, .5))

    def ramp(self, value: Value, low: float, high: float, to_low: float = 0.0, to_high: float = 1.0) -> Any:
        """Returns a value of low to high as one of to_low to to_high, smoothly, and not beyond."""
        node = self._nodes.new("ShaderNodeMapRange")
        node.interpolation_type = "SMOOTHSTEP"
        for name, number in (("From Min", low), ("From Max", high), ("To Min", to_low), ("To Max", to_high)):
            node.inputs[name].default_value = number
        self._feed(node.inputs["Value"], value)
        return node.outputs["Result"]

    def noise(self, place: Any, scale: float, stretch: tuple[float, float, float] = (1, 1, 1),
              detail: float = 2) -> Any:
        mapping = self._nodes.new("ShaderNodeMapping")
        mapping.inputs["Scale"].default_value = stretch
        self._links.new(place, mapping.inputs["Vector"])
        node = self._nodes.new("ShaderNodeTexNoise")
        node.inputs["Scale"].default_value, node.inputs["Detail"].default_value = scale, detail
        self._links.new(mapping.outputs[0], node.inputs["Vector"])
        return node.outputs[0]

    def mix(self, share: Value, one: list[float], other: list[float]) -> Any:
        """Returns the colour between two."""
        node = self._nodes.new("ShaderNodeValToRGB")
        for element, color in zip(node.color_ramp.elements, (one, other)):
            element.color = (*color, 1)
        self._feed(node.inputs[0], share)
        return node.outputs[0]

    def shade(self, shader: Any, color: Any, height: Value = 0.0, depth: float = 0.0) -> None:
        """Gives the shader a colour, and bumps of a height from 0 to 1 that are `depth` metres deep."""
        self._links.new(color, shader.inputs["Base Color"])
        if depth > 0:
            bump = self._nodes.new("ShaderNodeBump")
            bump.inputs["Distance"].default_value = depth
            self._feed(bump.inputs["Height"], height)
            self._links.new(bump.outputs[0], shader.inputs["Normal"])

    def _feed(self, socket: Any, value: Value) -> None:
        if isinstance(value, (int, float)):
            socket.default_value = value
        else:
            self._links.new(value, socket)


def _times(color: list[float], factor: float) -> list[float]:
    return [min(1.0, part * factor) for part in color]


def _herringbone(graph: Graph, shader: Any, color: list[float]) -> None:
    column = graph.math("FLOOR", graph.math("DIVIDE", graph.u, .017))
    sense = graph.math("SUBTRACT", graph.math("MULTIPLY", graph.math("PINGPONG", column, 1), 2), 1)
    slant = graph.math("MULTIPLY", graph.math("MULTIPLY", sense, graph.u), 1.15)
    ridge = graph.ridge(graph.math("DIVIDE", graph.math("ADD", graph.v, slant), .0046))
    heather = graph.ramp(graph.noise(graph.uv, 220, detail=4), .25, .75, -.22, .22)
    share = graph.math("ADD", graph.ramp(ridge, .22, .78, .06, .86), heather)
    light = [.64 * (2.15 * part + .035) + .36 * wool for part, wool in zip(color, (.62, .50, .37))]
    graph.shade(shader, graph.mix(share, _times(color, .38), light), graph.math("ADD", ridge, heather), .0006)


def _twill(graph: Graph, shader: Any, color: list[float]) -> None:
    slant = graph.math("MULTIPLY", graph.u, 1.6)
    ridge = graph.ridge(graph.math("DIVIDE", graph.math("ADD", graph.v, slant), .00165))
    worn = graph.ramp(graph.noise(graph.uv, 30, (1, .2, 1)), .3, .7, .35, .65)
    share = graph.math("ADD", graph.math("MULTIPLY", worn, .7), graph.math("MULTIPLY", ridge, .3))
    graph.shade(shader, graph.mix(share, _times(color, .6), _times(color, 1.4)), ridge, .0002)


def _plain(graph: Graph, shader: Any, color: list[float]) -> None:
    across = graph.ridge(graph.math("DIVIDE", graph.u, .0019))
    down = graph.ridge(graph.math("DIVIDE", graph.v, .0019))
    threads = graph.math("ABSOLUTE", graph.math("SUBTRACT", across, down))
    share = graph.math("MULTIPLY", graph.math("ADD", threads, graph.noise(graph.uv, 120)), .5)
    graph.shade(shader, graph.mix(share, _times(color, .86), _times(color, 1.06)), threads, .0002)


def _quilted(graph: Graph, shader: Any, color: list[float]) -> None:
    phase = graph.math("FRACT", graph.math("DIVIDE", graph.v, .072))
    puff = graph.ramp(graph.math("PINGPONG", phase, .5), 0, .5)
    gathers = graph.noise(graph.uv, 90, (1, .15, 1))
    height = graph.math("ADD", puff, graph.math("MULTIPLY", gathers, graph.math("SUBTRACT", 1, puff)))
    graph.shade(shader, graph.mix(puff, _times(color, .6), _times(color, 1.05)), height, .015)


def _grain(graph: Graph, shader: Any, color: list[float]) -> None:
    pebbles = graph.noise(graph.uv, 330, detail=1)
    worn = graph.noise(graph.uv, 9)
    graph.shade(shader, graph.mix(worn, _times(color, .7), _times(color, 1.35)), pebbles, .0004)


def _skin(graph: Graph, shader: Any, color: list[float]) -> None:
    mottled = graph.ramp(graph.noise(graph.body, 14, detail=3), .3, .7)
    grey = .3 * color[0] + .59 * color[1] + .11 * color[2]
    warm, pale = ([(.8 * part + .2 * grey) * factor for part, factor in zip(color, factors)]
                  for factors in ((1.06, .93, .90), (.98, 1, 1.02)))
    graph.shade(shader, graph.mix(mottled, warm, pale))
    for name, value in (("Subsurface Weight", .12), ("Subsurface", .06)):
        if name in shader.inputs:
            shader.inputs[name].default_value = value
            break
    shader.inputs["Subsurface Radius"].default_value = (.02, .008, .005)
    _set(shader, ("Subsurface Color",), (*color, 1))


def _fur(graph: Graph, shader: Any, color: list[float]) -> None:
    strands = graph.noise(graph.body, 60, (4, 1, .8), detail=3)
    graph.shade(shader, graph.mix(graph.ramp(strands, .3, .7), _times(color, .4), _times(color, 1.5)), strands, .004)


def _hair(graph: Graph, shader: Any, color: list[float]) -> None:
    strands = graph.noise(graph.uv, 90, (14, .3, 1), detail=2)
    graph.shade(shader, graph.mix(graph.ramp(strands, .3, .7), _times(color, .5), _times(color, 1.5)), strands, .001)


PATTERNS: dict[str, Callable[[Graph, Any, list[float]], None]] = {
    "herringbone": _herringbone, "twill": _twill, "plain": _plain, "gauze": _plain, "quilted": _quilted,
    "grain": _grain, "skin": _skin, "fur": _fur, "hair": _hair,
}
