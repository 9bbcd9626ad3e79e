// The dialog with all keys of the staff pages (R-DAY-34).
import { saveUser, type TeamRole, viewAsLearner } from '@portal/contract';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { DIALOG_BUTTONS, DIALOG_PANEL } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { classes } from '../ui/dom.ts';
import { t } from '../words/translate.ts';
import { useMay } from './role.tsx';
import { KEY } from './search-results.tsx';

/** `to` is the call that a role needs for the key. */
type Line = { keys: string[]; words: string; to?: { role: TeamRole } };

const listLines = (): Line[] => [
  { keys: ['/'], words: t('Search') },
  { keys: ['↑', '↓'], words: t('Choose a result') },
  { keys: ['↵'], words: t('Open the chosen result') },
  { keys: [t('Ctrl'), '↵'], words: t('Open the chosen result in a new tab') },
  { keys: ['g'], words: t('Give products to a person chosen with the arrow keys'), to: saveUser },
  { keys: ['v'], words: t('View as a person chosen with the arrow keys'), to: viewAsLearner },
  { keys: [t('Esc')], words: t('Empty the search, leave it, or close a dialog') },
  { keys: ['?'], words: t('Show all keys') },
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const may = useMay();
  const id = useId();
  const lines = listLines().filter(({ to }) => !to || may(to));
  return (
    <Dialog className="max-w-124" labelledBy={id} onClose={onClose}>
      <div className={DIALOG_PANEL}>
        <h2 id={id}>{t('Keys')}</h2>
        <dl className="mt-5 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-2.5 text-sm/5">
          {lines.map(({ keys, words }) => (
            <div key={words} className="contents">
              <dt className="flex gap-1.25">
                {keys.map((key) => (
                  <kbd key={key} className={classes(KEY, 'font-sans')}>
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd className="text-ink-2">{words}</dd>
            </div>
          ))}
        </dl>
        <div className={DIALOG_BUTTONS}>
          <Button onClick={onClose}>{t('Close')}</Button>
        </div>
      </div>
    </Dialog>
  );
}
