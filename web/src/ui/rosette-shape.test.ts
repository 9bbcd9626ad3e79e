import { expect, test } from 'vitest';
import { drawRosette } from './rosette-shape.ts';

test('the same id always gives the same rosette, and another id a different one', () => {
  expect(drawRosette('tarnquill', 'fine')).toEqual(drawRosette('tarnquill', 'fine'));
  expect(drawRosette('tarnquill', 'fine').outer).not.toBe(drawRosette('merrowcode', 'fine').outer);
});

test('`detail` changes the number of copies of the curves, not their shape', () => {
  const fine = drawRosette('tarnquill', 'fine');
  const small = drawRosette('tarnquill', 'small');
  expect(small.outer).toBe(fine.outer);
  expect([fine.outerCopies.length, fine.innerTurns.length]).toEqual([13, 9]);
  expect([small.outerCopies.length, small.innerTurns.length]).toEqual([4, 3]);
});

/** Returns the points on the path. The last two numbers of each relative curve are the offset to its end point. */
function cornersOf(path: string): [number, number][] {
  const [start = '', ...curves] = path.slice(1, -1).split(/[cs]/);
  const corners = [numbersOf(start) as [number, number]];
  for (const curve of curves) {
    const [x, y] = corners.at(-1) ?? [0, 0];
    const [right = Number.NaN, down = Number.NaN] = numbersOf(curve).slice(-2);
    corners.push([x + right, y + down]);
  }
  return corners;
}

function numbersOf(text: string): number[] {
  return (text.match(/-?\d+/g) ?? []).map(Number);
}

test('every rosette fits into its box, and its curves are closed', () => {
  for (let i = 0; i < 200; i++) {
    const { outer, outerCopies } = drawRosette(String(i), 'mid');
    const corners = cornersOf(outer);
    for (const [x, y] of corners) expect(Math.hypot(x, y)).toBeLessThanOrEqual(505);
    expect(corners.at(-1)).toEqual(corners[0]);
    expect(Math.max(...outerCopies.map((copy) => copy.scale))).toBeLessThanOrEqual(1);
  }
});
