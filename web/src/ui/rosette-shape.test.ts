import { expect, test } from 'vitest';
import { drawRosette } from './rosette-shape.ts';

test('the same id always gives the same mark, and another id another', () => {
  expect(drawRosette('tarnquill', 'fine')).toEqual(drawRosette('tarnquill', 'fine'));
  expect(drawRosette('tarnquill', 'fine').outer).not.toBe(drawRosette('merrowcode', 'fine').outer);
});

test('detail changes how often the curves repeat, not the curves', () => {
  const fine = drawRosette('tarnquill', 'fine');
  const small = drawRosette('tarnquill', 'small');
  expect(small.outer).toBe(fine.outer);
  expect([fine.outerCopies.length, fine.innerTurns.length]).toEqual([13, 9]);
  expect([small.outerCopies.length, small.innerTurns.length]).toEqual([4, 3]);
});

/** The points that a path of relative curves goes through. */
function cornersOf(path: string): [number, number][] {
  const [start = '', curves = ''] = path.slice(1, -1).split('c');
  const [x0 = 0, y0 = 0] = start.split(' ').map(Number);
  const corners: [number, number][] = [[x0, y0]];
  const numbers = curves.split(' ').map(Number);
  for (let at = 0; at + 5 < numbers.length; at += 6) {
    const [x, y] = corners.at(-1) ?? [0, 0];
    corners.push([x + (numbers[at + 4] ?? 0), y + (numbers[at + 5] ?? 0)]);
  }
  return corners;
}

test('every mark stays inside its box', () => {
  for (let i = 0; i < 200; i++) {
    const { outer, outerCopies } = drawRosette(String(i), 'mid');
    for (const [x, y] of cornersOf(outer)) expect(Math.hypot(x, y)).toBeLessThanOrEqual(50.5);
    expect(Math.max(...outerCopies.map((copy) => copy.scale))).toBeLessThanOrEqual(1);
  }
});
