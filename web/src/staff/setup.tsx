// The dashboard's card 'Set up your portal', until the first code was handed out (R-DAY-51).
import {
  createProduct,
  getStats,
  hideSetup,
  importCoupons,
  inviteMember,
  type Stats,
  saveUser,
} from '@portal/contract';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { call } from '../api.ts';
import { queryClient, queryOf } from '../queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { classes, focusMain } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { Tag } from '../ui/tag.tsx';
import { t, tNode } from '../words/translate.ts';
import { useAction } from './action.tsx';
import { COHORTS_PATH } from './nouns/cohort.tsx';
import { TEXT_LINK } from './nouns/person.tsx';
import { useMay } from './role.tsx';

/** True if the card is shown: no code was handed out yet, and the member has not hidden the card. */
export const showsSetup = (setup: Stats['setup'] | undefined) =>
  setup !== undefined && !setup.issued && !setup.hidden;

type Step = {
  title: string;
  words: ReactNode;
  isDone: boolean;
  /** The page of the step; null if the role may not do it, or if it is not done on a page. */
  to: string | null;
};

export function SetupCard({ setup }: { setup: Stats['setup'] }) {
  const may = useMay();
  const { run, busy } = useAction({
    send: () => call(hideSetup),
    failed: t('Failed to hide the card'),
    onDone: () => {
      // The pressed button goes with the card.
      focusMain();
      return queryClient.invalidateQueries(queryOf(getStats));
    },
  });
  const steps = useSteps(setup);
  return (
    <Card
      title={t('Set up your portal')}
      sub={
        may(createProduct)
          ? t('This card disappears once the first code is handed out.')
          : t('Managers and owners do these steps.')
      }
      action={
        <Button size="sm" look="ghost" busy={busy} onClick={() => void run()}>
          {t('Hide')}
        </Button>
      }
      className="col-span-full"
    >
      <ol className="mt-4">
        {steps.map((step, at) => (
          <StepRow key={step.title} step={step} mark={at < REQUIRED ? at + 1 : '+'} />
        ))}
      </ol>
    </Card>
  );
}

/** The steps after these are extras. */
const REQUIRED = 4;

function useSteps({ product, codes, access, mail, team }: Stats['setup']): Step[] {
  const may = useMay();
  const gives = may(saveUser);
  const give = (path: string, words: string) => (gives ? <StepLink to={path}>{words}</StepLink> : words);
  const steps: Step[] = [
    {
      title: t('Add a product'),
      words: t('What people get from a partner, and how they use it.'),
      isDone: product,
      to: may(createProduct) ? '/admin/products?open=add' : null,
    },
    {
      title: t('Upload its codes'),
      words: t('A file with one code in each row. A shared code needs only one row.'),
      isDone: codes,
      to: may(importCoupons) ? '/admin/coupons?open=upload' : null,
    },
    {
      title: t('Give it to people'),
      words: tNode('To {person}, to people in {file}, or to {cohort}.', {
        person: give('/admin/users?open=add', t('one person')),
        file: give('/admin/users?open=upload', t('a file')),
        cohort: give(COHORTS_PATH, t('a cohort')),
      }),
      isDone: access,
      to: gives ? '/admin/users?open=add' : null,
    },
    {
      title: t('Set up mail'),
      words: tNode(
        'Set SMTP_URL and MAIL_FROM, then restart the portal. Until then, emails stay in {outbox}.',
        {
          // Other machines get no outbox.
          outbox: LOOPBACK.includes(location.hostname) ? (
            <a href="/dev/outbox" className={TEXT_LINK}>
              {t('the outbox')}
            </a>
          ) : (
            t('the outbox')
          ),
        },
      ),
      isDone: mail,
      to: null,
    },
  ];
  if (may(inviteMember))
    steps.push({
      title: t('Invite a colleague'),
      words: t('If you like: each has a role of their own.'),
      isDone: team,
      to: '/admin/users/team?open=add',
    });
  return steps;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const StepLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={to} className={TEXT_LINK}>
    {children}
  </Link>
);

function StepRow({ step: { title, words, isDone, to }, mark }: { step: Step; mark: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)_auto] items-start gap-x-3 border-t border-line px-6 py-2.5 max-md:px-4.5">
      <span
        className={classes(
          'grid size-7 place-items-center rounded-full border font-mono text-sm',
          isDone ? 'border-transparent bg-accent-soft text-accent-text' : 'border-line-control text-ink-2',
        )}
        aria-hidden="true"
      >
        {isDone ? <Icon of={Check} size={16} strong /> : mark}
      </span>
      <div className="min-w-0 pt-0.5">
        {to === null || isDone ? (
          <span className={isDone ? 'text-ink-2' : 'font-medium'}>{title}</span>
        ) : (
          <StepLink to={to}>{title}</StepLink>
        )}
        {/* A step that is done needs no explanation. */}
        {!isDone && <p className="text-sm text-ink-2">{words}</p>}
      </div>
      <span className="pt-0.5">{isDone && <Tag tone="accent">{t('Done')}</Tag>}</span>
    </li>
  );
}
