// Lines and points that lie over everything else.
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments, Points, PointsMaterial,
} from "three";

export class Lines {
  readonly object: LineSegments;
  readonly positions: Float32Array;
  readonly colors: Float32Array;

  constructor(count: number, opacity = 1) {
    this.positions = new Float32Array(6 * count);
    this.colors = new Float32Array(6 * count).fill(1);
    this.object = new LineSegments(geometry(this.positions, this.colors), new LineBasicMaterial({
      vertexColors: true, depthTest: false, transparent: true, opacity, toneMapped: false,
    }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 10;
  }

  changed(): void {
    for (const name of ["position", "color"]) this.object.geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    (this.object.material as LineBasicMaterial).dispose();
  }
}

export class Dots {
  readonly object: Points;
  readonly positions: Float32Array;
  readonly colors: Float32Array;

  constructor(count: number, pixels: number) {
    this.positions = new Float32Array(3 * count);
    this.colors = new Float32Array(3 * count).fill(1);
    const material = new PointsMaterial({
      size: pixels, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true, toneMapped: false,
    });
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace("#include <clipping_planes_fragment>", /* glsl */ `
        #include <clipping_planes_fragment>
        if (length(gl_PointCoord - .5) > .5) discard;`);
    };
    this.object = new Points(geometry(this.positions, this.colors), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 11;
  }

  changed(): void {
    for (const name of ["position", "color"]) this.object.geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    (this.object.material as PointsMaterial).dispose();
  }
}

function geometry(positions: Float32Array, colors: Float32Array): BufferGeometry {
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(positions, 3).setUsage(DynamicDrawUsage));
  made.setAttribute("color", new BufferAttribute(colors, 3).setUsage(DynamicDrawUsage));
  return made;
}
