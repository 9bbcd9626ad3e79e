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

test('every mark stays inside its box', () => {
  for (let i = 0; i < 200; i++) {
    const { outer, outerCopies } = drawRosette(String(i), 'mid');
    const [x = 0, y = 0] = outer.slice(1).split('c')[0]?.split(' ').map(Number) ?? [];
    expect(Math.hypot(x, y)).toBeLessThanOrEqual(50.5);
    expect(Math.max(...outerCopies.map((copy) => copy.scale))).toBeLessThanOrEqual(1);
  }
});
