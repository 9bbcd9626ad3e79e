// The rosette of an id as an SVG in the text colour. Decorative, so screen readers skip it.
import { memo, useId } from 'react';
import { drawRosette, type RosetteDetail } from './rosette-shape.ts';

type RosetteProps = { id: string; size: number; detail: RosetteDetail; className?: string };

export const Rosette = memo(function Rosette({ id, size, detail, className }: RosetteProps) {
  const uid = useId();
  const { outer, inner, outerCopies, innerTurns } = drawRosette(id, detail);
  return (
    <svg
      className={className}
      viewBox="-500 -500 1000 1000"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
    >
      <defs>
        <path id={`${uid}o`} d={outer} vectorEffect="non-scaling-stroke" />
        <path id={`${uid}i`} d={inner} vectorEffect="non-scaling-stroke" />
      </defs>
      <g fill="none" stroke="currentColor">
        {outerCopies.map(({ scale, turn }) => (
          <use key={scale} href={`#${uid}o`} transform={`rotate(${turn}) scale(${scale})`} />
        ))}
        {innerTurns.map((turn) => (
          <use key={turn} href={`#${uid}i`} transform={`rotate(${turn})`} />
        ))}
      </g>
    </svg>
  );
});
