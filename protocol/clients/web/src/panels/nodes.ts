// The nodes of the server's cluster, with what each of them does. Without a cluster there is nothing to see.
import type { App } from "../app";
import type { ClusterNode, Stats } from "../net/protocol";
import { button, h } from "./dom";

export function nodesSection(app: App): HTMLElement {
  const list = h("ul", { class: "list nodes" });
  const section = h("section", { hidden: true, "aria-label": "Nodes of the cluster" }, h("h2", {}, "Nodes"), list);
  let shown: { key: string; details: Map<string, HTMLElement> } = { key: "", details: new Map() };

  const show = ({ cluster }: Stats): void => {
    section.hidden = cluster === undefined;
    if (!cluster) return;
    const drains = app.mirror.answers("cluster.drain");
    const key = JSON.stringify([cluster.node, drains, ...cluster.nodes.map(({ node }) => node)]);
    if (key !== shown.key) { // otherwise the buttons stay: one of them may have the focus
      const details = new Map(cluster.nodes.map(({ node }) => [node, h("small", {})]));
      shown = { key, details };
      list.replaceChildren(...cluster.nodes.map(({ node }) => entry(app, node, node === cluster.node, drains, details.get(node)!)));
    }
    for (const node of cluster.nodes) shown.details.get(node.node)!.textContent = describe(node);
  };
  app.mirror.statsTaken.on(show);
  return section;
}

function entry(app: App, node: string, isAsked: boolean, drains: boolean, details: HTMLElement): HTMLLIElement {
  return h("li", {},
    h("span", { class: "name" }, h("b", {}, node), isAsked && ", this page's", details),
    drains && button({ text: "Drain", title: `Moves the characters of ${node} to other nodes`, operator: true,
      onclick: () => void app.ask("cluster.drain", { node }) }));
}

function describe({ characters, load, ticks_behind: behind, version }: ClusterNode): string {
  const late = behind === 0 ? "on time" : `${Math.abs(behind)} tick${Math.abs(behind) === 1 ? "" : "s"} ${behind > 0 ? "behind" : "ahead"}`;
  return `${characters} character${characters === 1 ? "" : "s"}, load ${Math.round(100 * load)} %, ${late}, ${version}`;
}
