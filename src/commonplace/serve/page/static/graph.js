// The names in the same lines, drawn from the list beside the drawing; both say the same.
"use strict";
{
  const LIBRARY = "/static/force-graph.min.js";
  const [FEW, MANY] = [8, 16]; // names; the list has the others
  const NARROW = 600; // pixels
  const LABEL = 13; // pixels

  const library = new Promise((done) => {
    const script = document.createElement("script");
    script.src = LIBRARY;
    script.addEventListener("load", done);
    document.head.append(script);
  });

  const colour = (place, name) => {
    place.style.color = `var(--${name})`;
    return getComputedStyle(place).color;
  };

  // The name in the middle, the others around it on one ellipse, or on two where there is room for many.
  const arrange = (nodes, width, height) => {
    const others = nodes.length - 1;
    const reach = [Math.max(width / 2 - 70, 60), height / 2 - LABEL];
    nodes.forEach((node, at) => {
      const angle = (2 * Math.PI * at) / others;
      const distance = at === 0 ? 0 : others > FEW && at % 2 ? 0.55 : 1;
      [node.fx, node.fy] = [reach[0] * distance * Math.cos(angle), reach[1] * distance * Math.sin(angle)];
    });
  };

  const read = (place) => {
    const items = [...document.querySelectorAll(`#${place.dataset.graph} li`)].slice(0, place.clientWidth < NARROW ? FEW : MANY);
    const others = items.map((item, at) => ({ id: at + 1, link: item.querySelector("a"), lines: +item.dataset.lines }));
    const nodes = [{ id: 0, label: place.dataset.name }, ...others.map((one) => ({ ...one, label: one.link.textContent }))];
    return { nodes, links: others.map((one) => ({ source: 0, target: one.id, lines: one.lines })) };
  };

  const draw = async () => {
    const place = document.querySelector("[data-graph]");
    if (!place || place.drawn === place.dataset.name) return;
    place.drawn = place.dataset.name;
    await library;
    place.replaceChildren();
    const family = getComputedStyle(document.querySelector("nav")).fontFamily;
    let ink = {};
    const look = () => {
      ink = { text: colour(place, "text"), accent: colour(place, "accent"), line: colour(place, "line"), ground: colour(place, "ground") };
    };
    look();
    const box = (node, context, scale) => {
      context.font = `${LABEL / scale}px ${family}`;
      return [context.measureText(node.label).width + 8 / scale, (LABEL + 8) / scale];
    };
    const fill = (node, paint, context, scale) => {
      const [width, height] = box(node, context, scale);
      context.fillStyle = paint;
      context.fillRect(node.x - width / 2, node.y - height / 2, width, height);
    };
    const graph = new ForceGraph(place)
      .width(place.clientWidth)
      .height(place.clientHeight)
      .graphData(read(place))
      .nodeLabel(() => "")
      .linkColor(() => ink.line)
      .linkWidth((link) => Math.min(1 + Math.log2(link.lines) / 2, 3))
      .nodeCanvasObject((node, context, scale) => {
        fill(node, ink.ground, context, scale);
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillStyle = node.link ? ink.accent : ink.text;
        context.fillText(node.label, node.x, node.y);
      })
      .nodePointerAreaPaint((node, paint, context, scale) => fill(node, paint, context, scale))
      .onNodeClick((node) => node.link?.click())
      .enableZoomInteraction(false)
      .enablePanInteraction(false)
      .warmupTicks(1)
      .cooldownTicks(0)
      .onEngineStop(() => graph.zoom(1).centerAt(0, 0));
    const fit = () => {
      arrange(graph.graphData().nodes, place.clientWidth, place.clientHeight);
      graph.width(place.clientWidth).graphData(graph.graphData()).zoom(1).centerAt(0, 0);
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
    new ResizeObserver(fit).observe(place);
  };

  document.addEventListener("htmx:after:swap", draw);
  draw();
}
