// Bar chart of the redemptions per day. A tooltip shows the day that the pointer or the arrow keys select.
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { sayNumber } from '../../../words/format.ts';
import styles from './dashboard.module.css';
import { type Day, datedDays, describe, sayDay, scaleOf } from './days.ts';

/** Width of a bar, as a share of the space of one day. */
const BAR_WIDTH = 0.87;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * `days` are sorted from the oldest to the newest. The whole chart is one tab stop. When the chart gets the focus, the
 * newest day is selected.
 */
export function RedemptionsChart({ days }: { days: readonly Day[] }) {
  const [at, setAt] = useState<number | null>(null);
  const newest = days.length - 1;
  const scale = scaleOf(days);
  const top = scale.at(-1) ?? 1;
  const dated = datedDays(days);
  const pointTo = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const day = Math.floor(((clientX - left) / width) * days.length);
    setAt(Math.min(Math.max(day, 0), newest));
  };
  const step = ({ key }: KeyboardEvent) => {
    const by = STEPS[key];
    if (by) setAt(Math.min(Math.max((at ?? newest) + by, 0), newest));
  };
  return (
    <div className={styles.chart}>
      <div className={styles.scale} aria-hidden="true">
        {scale.map((tick) => (
          <span key={tick}>{sayNumber(tick)}</span>
        ))}
      </div>
      <div
        className={styles.plot}
        role="application"
        aria-label={describe(days)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys select a day
        tabIndex={0}
        onFocus={() => setAt((day) => day ?? newest)}
        onBlur={() => setAt(null)}
        onKeyDown={step}
        onPointerDown={pointTo}
        onPointerMove={pointTo}
        // With a mouse, leaving the chart closes the tooltip. On touch screens, lifting the finger fires the same
        // event, but the tooltip should stay until the next touch.
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
      >
        <svg aria-hidden="true">
          {scale.map((tick) => (
            <line key={tick} x2="100%" y1={percent(1 - tick / top)} y2={percent(1 - tick / top)} />
          ))}
          {days.map(({ day, count }, i) => (
            <rect
              key={day}
              className={i === at ? styles.on : undefined}
              x={percent((i + (1 - BAR_WIDTH) / 2) / days.length)}
              y={percent(1 - count / top)}
              width={percent(BAR_WIDTH / days.length)}
              height={percent(count / top)}
              rx={1.5}
            />
          ))}
          {days.map(
            ({ day }, i) =>
              dated.includes(day) && (
                <text key={day} x={percent((i + 0.5) / days.length)} y="100%" dy={18}>
                  {sayDay(day)}
                </text>
              ),
          )}
        </svg>
        <Tip days={days} at={at} top={top} />
      </div>
    </div>
  );
}

/**
 * Tooltip above the selected bar. Before a day is selected, the tooltip is empty but already on the page, because
 * screen readers announce only texts that appear in an existing element.
 */
function Tip({ days, at, top }: { days: readonly Day[]; at: number | null; top: number }) {
  const day = at === null ? undefined : days[at];
  if (at === null || !day) return <div className={styles.tip} role="status" />;
  const share = (at + 0.5) / days.length;
  const place = {
    left: percent(share),
    bottom: percent(day.count / top),
    // Shifts the tooltip to the left: by 15 % of its width on the first day, by up to 85 % on the last day. So the
    // tooltip stays inside the plot on every day.
    translate: `${-15 - 70 * share}% -8px`,
  };
  return (
    <div className={styles.tip} role="status" style={place}>
      {`${sayDay(day.day)}: ${sayNumber(day.count)}`}
    </div>
  );
}

function percent(share: number): string {
  return `${100 * share}%`;
}
