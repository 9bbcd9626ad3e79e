// The bars. Fetched on the dashboard only, because the library is larger than all administrators' pages together.
import {
  Bar,
  BarChart,
  CartesianGrid,
  Tooltip,
  useActiveTooltipDataPoints,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from 'recharts';
import { sayNumber } from '../../../words/figures.ts';
import styles from './dashboard.module.css';
import { type Day, datedDays, describe, sayDay } from './days.ts';

/** Room above the highest line, into which the tip of a bar may rise. */
const TIP_ROOM_PX = 16;

export function RedemptionsChart({ days }: { days: readonly Day[] }) {
  const isEmpty = days.every(({ count }) => count === 0);
  return (
    <BarChart
      responsive
      className={styles.plot}
      aria-label={describe(days)}
      // The newest day comes first, so that it is the one on which the keyboard arrives.
      data={days.toReversed()}
      margin={{ top: TIP_ROOM_PX, right: 8, bottom: 0, left: 0 }}
      barCategoryGap="13%"
    >
      <CartesianGrid vertical={false} />
      <XAxis
        reversed
        dataKey="day"
        ticks={datedDays(days)}
        interval={0}
        tickFormatter={(day: string) => sayDay(day)}
        tickLine={false}
        axisLine={{ className: styles.ground }}
        height={24}
      />
      <YAxis
        width="auto"
        tickCount={5}
        allowDecimals={false}
        domain={isEmpty ? [0, 4] : [0, 'auto']}
        tickFormatter={(tick: number) => sayNumber(tick)}
        tickLine={false}
        axisLine={false}
      />
      <Tooltip
        content={<Tip />}
        cursor={false}
        isAnimationActive={false}
        allowEscapeViewBox={{ x: true, y: true }}
        offset={0}
        position={{ x: 0, y: 0 }}
      />
      <Bar
        dataKey="count"
        className={styles.bars}
        radius={1.5}
        isAnimationActive={false}
        activeBar={{ className: styles.on }}
      />
    </BarChart>
  );
}

/** Day and figure, above the bar that they are of; spoken too, as the arrow keys move. */
function Tip() {
  const [day] = useActiveTooltipDataPoints<Day>() ?? [];
  const plot = usePlotArea();
  const left = useXAxisScale()?.(day?.day, { position: 'middle' });
  const top = useYAxisScale()?.(day?.count ?? 0);
  const place = plot && left !== undefined && top !== undefined && placeOf((left - plot.x) / plot.width);
  return (
    <div className={styles.tip} role="status" style={place ? { left, top, translate: place } : undefined}>
      {day && `${sayDay(day.day)}: ${sayNumber(day.count)}`}
    </div>
  );
}

/** Above its bar, but never further to the side than the plot: at an edge it stands on the inner side. */
function placeOf(share: number): string {
  return `${-15 - 70 * share}% calc(-100% - 8px)`;
}
