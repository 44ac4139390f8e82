"""The judges are judged: depths and twists against brute force and closed forms."""
import numpy as np
import pytest
from geometry import capsule_depth, ellipsoid_depth, sphere_depth, twist_degrees


def sphere_points(count):
    index = np.arange(count) + 0.5
    z = 1 - 2 * index / count
    angle = np.pi * (1 + 5**0.5) * index
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=-1)


@pytest.mark.parametrize("radii", [(0.2, 0.2, 0.2), (0.17, 0.12, 0.13), (0.05, 0.3, 0.1)])
def test_ellipsoid_depth_is_the_distance_to_the_nearest_of_many_surface_points(radii):
    surface = sphere_points(60000) * radii
    points = np.random.default_rng(3).uniform(-1, 1, (60, 3)) * radii
    inside = np.sum((points / radii) ** 2, axis=1) < 1
    nearest = np.array([np.min(np.linalg.norm(surface - point, axis=1)) for point in points])
    depth = ellipsoid_depth(points, radii)
    assert np.all(depth[~inside] == 0)
    assert depth[inside] == pytest.approx(nearest[inside], abs=1e-3)


def test_ellipsoid_depth_on_the_planes_of_symmetry():
    assert ellipsoid_depth(np.array([[0, 0, 0], [0, 0.05, 0], [0.1, 0, 0]]), (0.3, 0.1, 0.2)) == pytest.approx(
        [0.1, 0.05, 0.1 * np.sqrt(1 - 0.01 / (0.09 - 0.01))], abs=1e-6)


def test_capsule_depth_is_the_distance_to_the_hull_of_two_spheres():
    a, b, radius_a, radius_b = np.array([0, 0, 0]), np.array([0, -0.4, 0.1]), 0.09, 0.05
    points = np.random.default_rng(4).uniform([-0.12, -0.5, -0.1], [0.12, 0.12, 0.2], (300, 3))
    share = np.linspace(0, 1, 4001)[:, None]
    spheres = a + share * (b - a), (radius_a + share * (radius_b - radius_a))[:, 0]
    signed = np.array([np.max(spheres[1] - np.linalg.norm(spheres[0] - point, axis=1)) for point in points])
    assert capsule_depth(points, a, b, radius_a, radius_b) == pytest.approx(np.maximum(signed, 0), abs=1e-5)


def test_a_capsule_within_a_sphere_is_that_sphere():
    point = np.array([[0.0, 0.1, 0.0]])
    assert capsule_depth(point, np.zeros(3), np.array([0, 0.05, 0]), 0.2, 0.05) == sphere_depth(point, 0, 0.2)


def turn(axis, degrees):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    matrix = np.eye(4)
    matrix[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return matrix


@pytest.mark.parametrize("swing, twist", [(0, 25), (40, 0), (70, -35), (150, 61), (10, 180)])
def test_twist_is_what_the_swing_leaves(swing, twist):
    before = turn([1, 2, 3], 50)
    after = before @ turn([0, 0.6, 0.8], swing) @ turn([1, 0, 0], twist)
    assert twist_degrees(np.array([before, after])[:, None]) == pytest.approx(abs(twist), abs=1e-6)
