"""What the server streams, in Blender's axes, and a mesh of a description skinned by numpy: to compare Blender with."""
import bpy
import numpy


def to_blender(points):
    points = numpy.asarray(points).reshape(-1, 3)
    return numpy.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def matrices(numbers):
    return numpy.asarray(numbers).reshape(-1, 4, 4).transpose(0, 2, 1)


def world_vertices(thing):
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", points)
    place = numpy.array(thing.matrix_world)
    return points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]


class Skin:
    """A mesh of the description, or the vertices of it that are kept."""

    def __init__(self, mesh, description, kept=slice(None)):
        self.name = mesh["name"]
        self.inverse = matrices([bone["inverse_bind"] for bone in description["bones"]])
        points = numpy.asarray(mesh["positions"]).reshape(-1, 3)[kept]
        self.points = numpy.c_[points, numpy.ones(len(points))][:, :, None]
        self.joints = numpy.asarray(mesh["joints"]).reshape(-1, 4)[kept]
        self.weights = numpy.asarray(mesh["weights"]).reshape(-1, 4)[kept][:, :, None, None]

    def at(self, bones):
        moves = (bones @ self.inverse)[:, :3]
        blended = sum(self.weights[:, share] * moves[self.joints[:, share]] for share in range(4))
        return (blended @ self.points)[:, :, 0]
