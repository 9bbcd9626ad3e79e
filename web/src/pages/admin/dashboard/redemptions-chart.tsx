// The bars themselves, drawn by attributes: the content policy allows no inline style.
import { useState } from 'react';
import { axisOf, datedBars, sayDay } from './chart-scale.ts';
import styles from './dashboard.module.css';
import type { Day } from './redemptions-card.tsx';

/** Share of a day's room that its bar takes. */
const BAR_SHARE = 0.74;
const TIP_WIDTH_PX = 84;

export function RedemptionsChart({ days, total }: { days: Day[]; total: number }) {
  const [on, setOn] = useState<number | null>(null);
  const axis = axisOf(Math.max(0, ...days.map(({ count }) => count)));
  const [top = 1] = axis;
  const width = 100 / days.length;
  const chosen = on === null ? undefined : days[on];
  return (
    <figure className={styles.chart} aria-label={describe(days, total)}>
      <div className={styles.axis} aria-hidden="true">
        {axis.map((tick) => (
          <span key={tick}>{tick.toLocaleString()}</span>
        ))}
      </div>
      <div className={styles.plot}>
        <svg aria-hidden="true" focusable="false">
          {axis.map((tick) => {
            const y = `${100 - (tick / top) * 100}%`;
            return (
              <line
                key={tick}
                x1="0"
                x2="100%"
                y1={y}
                y2={y}
                className={tick === 0 ? styles.ground : undefined}
              />
            );
          })}
          {days.map(({ day, count }, i) => (
            <rect
              key={day}
              className={styles.bar}
              data-on={i === on ? '' : undefined}
              x={`${(i + (1 - BAR_SHARE) / 2) * width}%`}
              width={`${width * BAR_SHARE}%`}
              y={`${100 - (count / top) * 100}%`}
              height={`${(count / top) * 100}%`}
              rx="1.5"
            />
          ))}
          {chosen && on !== null && (
            <Tip day={chosen} x={(on + 0.5) * width} y={100 - (chosen.count / top) * 100} />
          )}
        </svg>
        <DaySlider days={days} on={on} onChange={setOn} />
      </div>
      <svg className={styles.dates} aria-hidden="true" focusable="false">
        {datedBars(days.length).map((i) => (
          <text key={i} x={`${(i + 0.5) * width}%`} y="12">
            {sayDay(days[i]?.day ?? '')}
          </text>
        ))}
      </svg>
    </figure>
  );
}

function Tip({ day, x, y }: { day: Day; x: number; y: number }) {
  // Kept inside the card at both ends.
  const shift = x > 93 ? -TIP_WIDTH_PX / 3 : x < 7 ? TIP_WIDTH_PX / 3 : 0;
  return (
    <svg className={styles.tip} x={`${x}%`} y={`${y}%`} overflow="visible" aria-hidden="true">
      <rect x={shift - TIP_WIDTH_PX / 2} y={-34} width={TIP_WIDTH_PX} height={26} rx={6} />
      <text x={shift} y={-17}>
        {saying(day)}
      </text>
    </svg>
  );
}

type DaySliderProps = { days: Day[]; on: number | null; onChange: (day: number | null) => void };

/** One stop of the keyboard over the whole plot: arrows move day by day, a pointer shows the day under it. */
function DaySlider({ days, on, onChange }: DaySliderProps) {
  const last = days.length - 1;
  const chosen = days[on ?? last];
  return (
    <input
      type="range"
      className={styles.days}
      aria-label="Day"
      aria-valuetext={chosen && saying(chosen)}
      min={0}
      max={last}
      value={on ?? last}
      onChange={(event) => onChange(Number(event.target.value))}
      onFocus={() => onChange(on ?? last)}
      onBlur={() => onChange(null)}
      onPointerMove={({ nativeEvent, currentTarget }) => {
        const day = Math.floor((nativeEvent.offsetX / currentTarget.offsetWidth) * days.length);
        onChange(Math.min(Math.max(day, 0), last));
      }}
      onPointerLeave={() => onChange(null)}
    />
  );
}

function saying({ day, count }: Day): string {
  return `${sayDay(day)}: ${count.toLocaleString()}`;
}

function describe(days: Day[], total: number): string {
  const [first] = days;
  const last = days.at(-1);
  if (!first || !last) return 'Redemptions per day';
  const best = days.reduce((most, day) => (day.count > most.count ? day : most), first);
  const span = `Redemptions per day, ${sayDay(first.day)} to ${sayDay(last.day)}. ${total.toLocaleString()} in total`;
  return total === 0 ? `${span}.` : `${span}, highest ${best.count.toLocaleString()} on ${sayDay(best.day)}.`;
}
