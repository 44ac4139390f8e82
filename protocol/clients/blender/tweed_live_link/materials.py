"""Materials of render meshes: colour, roughness, and weaves that are computed from uvs in metres."""
from __future__ import annotations

from typing import Any

import bpy

# Of a weave: threads a metre along u and v, and how far its threads are raised or darkened, from 0 to 1.
THREADS = {"plain": 900.0, "gauze": 500.0, "twill": 700.0, "satin": 900.0, "herringbone": 260.0, "quilted": 12.0}


def material_of(values: dict[str, Any]) -> Any:
    """Returns the file's material for these values of the protocol; equal values share one."""
    color, roughness, pattern = values["color"], values["roughness"], values["pattern"]
    title = f"tweed {pattern} " + "-".join(f"{round(255 * part):02x}" for part in (*color, roughness))
    material = bpy.data.materials.get(title)
    return material if material is not None else _make(title, color, roughness, pattern)


def _make(title: str, color: list[float], roughness: float, pattern: str) -> Any:
    material = bpy.data.materials.new(title)
    material.diffuse_color = (*color, 1)  # what Workbench and the solid viewport draw
    material.roughness = roughness
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    shader.inputs["Roughness"].default_value = roughness
    _set(shader, ("Specular IOR Level", "Specular"), .5 if roughness < .5 else .2)
    return material


def _set(node: Any, names: tuple[str, ...], value: Any) -> None:
    """Sets an input that has had several names in Blender's versions."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return
