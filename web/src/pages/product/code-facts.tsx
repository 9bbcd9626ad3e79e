// The facts about a code in the top line of the ticket: its type, and its last day (N-103).
import { Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { isSoon, sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';

type CodeFactsProps = {
  /** The last day of the code. Null if the code has none or the day has passed. */
  useBy: string | null;
  now: Date;
};

/** On a narrow ticket, a fact that does not fit begins a new line. A dot separates two facts on the same line. */
export function CodeFacts({ useBy, now }: CodeFactsProps) {
  return (
    <span className="overflow-x-clip">
      {/* Each line begins to the left of the ticket's text, by the width of one separator. This cuts off the separator
          at the start of a line. */}
      <span className="-ms-1.5 block whitespace-normal">
        <Fact separator="">{say('Coupon code')}</Fact> <Fact>{say('Single use')}</Fact>
        {useBy && <UseBy day={useBy} isSoon={isSoon(useBy, now)} />}
      </span>
    </span>
  );
}

function Fact({ separator = '· ', children }: { separator?: string; children: ReactNode }) {
  return (
    <span className="inline-block whitespace-nowrap">
      <span className="inline-block w-1.5 whitespace-pre">{separator}</span>
      {children}
    </span>
  );
}

/** The last day of a code, emphasised in its last week. */
function UseBy({ day, isSoon: isEmphasised }: { day: string; isSoon: boolean }) {
  const words = say('Use by {day}', { day: sayDay(day) });
  if (!isEmphasised)
    return (
      <>
        {' '}
        <Fact>{words}</Fact>
      </>
    );
  return (
    <>
      {' '}
      <Fact separator="">
        <span className="inline-flex items-center gap-1.5 rounded-xs bg-on-accent px-2 align-top leading-5 font-semibold text-accent">
          <Icon of={Clock} size={13} strong />
          {words}
        </span>
      </Fact>
    </>
  );
}
