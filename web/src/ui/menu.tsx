// A button that opens a menu of actions, for example for one row of a list. It shows three dots, or other words.
import { Menu } from '@base-ui/react/menu';
import { Check, Ellipsis, type LucideIcon } from 'lucide-react';
import { Fragment, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './dom.ts';
import { Icon } from './icon.tsx';

export type Action = {
  label: string;
  /** May be missing for a choice, which has a tick. */
  icon?: LucideIcon;
  /** Text below the label. */
  hint?: string;
  /** If set, the action is impossible and does nothing when chosen. The menu shows this reason below the label. */
  obstacle?: string | undefined;
  danger?: boolean;
  /** For one of several choices: whether this is the present one. */
  isChosen?: boolean;
  /** Language of the label, if it is another one than the page's. */
  lang?: string;
  onChoose: () => void;
};

type ActionMenuProps = {
  /** Name of the button if it has no `face`: 'More for' and the name of a product. */
  label?: string;
  /** The actions in groups; false for one that is not offered. A line separates two groups. Without actions, no button. */
  groups: readonly (readonly (Action | false)[])[];
  /** A heading for each group. */
  headings?: readonly string[];
  /** The content of the button; three dots if it is missing. */
  face?: ReactNode;
  foot?: string;
  /** True while an action that was chosen is running. */
  busy?: boolean;
  look?: 'outline' | 'ghost';
};

export function ActionMenu({
  label,
  groups,
  headings = [],
  face,
  foot,
  busy,
  look = 'outline',
}: ActionMenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const choose = (action: Action) => {
    holdSecondClick();
    setOpen(false);
    // If the action opens a dialog, closing it returns the focus to the element that has the focus now.
    opener.current?.focus();
    action.onChoose();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.preventDefault();
    setOpen(false);
  };
  const offered = groups
    .map((actions) => actions.filter((action) => action !== false))
    .filter((actions) => actions.length > 0);
  if (offered.length === 0) return null;
  return (
    <div ref={root} className="relative grid">
      <Menu.Root modal={false} open={open} onOpenChange={(next) => setOpen(next && !busy)}>
        <Menu.Trigger
          ref={opener}
          render={
            <Button
              size="sm"
              look={look}
              className={classes('aria-expanded:bg-pressed', face === undefined && 'w-(--control-sm) px-0!')}
              busy={busy}
            />
          }
          aria-label={label}
        >
          {face ?? <Icon of={Ellipsis} size={16} />}
        </Menu.Trigger>
        <Menu.Portal container={root}>
          <Menu.Positioner align="end" sideOffset={6} className="z-(--z-header)">
            <Menu.Popup
              className="w-max min-w-56 max-w-[min(21rem,_calc(100vw_-_5rem))] p-1 border border-line rounded-lg bg-raised [box-shadow:var(--shadow-md)]"
              onKeyDown={press}
            >
              {offered.map((actions, at) => (
                <Fragment key={actions[0]?.label}>
                  {at > 0 && <Menu.Separator className={LINE} />}
                  <Group heading={headings[at]}>
                    {actions.map((action) => (
                      <ActionItem key={action.label} action={action} onChoose={() => choose(action)} />
                    ))}
                  </Group>
                </Fragment>
              ))}
              {foot && (
                <>
                  <Menu.Separator className={LINE} />
                  <p role="presentation" className="text-xs pt-1 px-2.5 pb-1.5 text-ink-3">
                    {foot}
                  </p>
                </>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}

/** Screen readers announce the heading with the first item of the group. */
function Group({ heading, children }: { heading: string | undefined; children: ReactNode }) {
  if (heading === undefined) return children;
  return (
    <Menu.Group>
      <Menu.GroupLabel className="px-2.5 pt-1.5 pb-1 text-xs/4 font-medium text-ink-3 wrap-anywhere">
        {heading}
      </Menu.GroupLabel>
      {children}
    </Menu.Group>
  );
}

const LINE = 'h-px my-1 -mx-1 bg-line';

function ActionItem({ action, onChoose }: { action: Action; onChoose: () => void }) {
  const { label, icon = Check, hint, obstacle, danger, isChosen, lang } = action;
  const isChoice = isChosen !== undefined;
  const tone = obstacle ? 'text-ink-3' : danger ? 'text-danger-text' : 'text-ink';
  return (
    <Menu.Item
      label={label}
      disabled={obstacle !== undefined}
      className={classes(
        'flex w-full cursor-pointer items-start gap-2.5 rounded-sm px-2.5 py-1.75 text-left text-md focus:outline-hidden data-disabled:cursor-not-allowed data-highlighted:bg-hover data-disabled:hover:bg-transparent forced-colors:focus:-outline-offset-2',
        tone,
      )}
      onClick={(event) => {
        // Base UI's handler would return the focus to the item, which disappears.
        event.preventBaseUIHandler();
        onChoose();
      }}
      {...(isChoice && { role: 'menuitemradio', 'aria-checked': isChosen })}
      lang={lang}
    >
      <Icon
        of={icon}
        size={16}
        className={classes(
          'mt-0.75 flex-none',
          tone === 'text-ink' && 'text-ink-3',
          isChosen === false && 'invisible',
        )}
      />
      <span>
        {label}
        {(obstacle ?? hint) && <small className="block text-xs text-ink-3">{obstacle ?? hint}</small>}
      </span>
    </Menu.Item>
  );
}

/** The second click of a double click on an action does not press what lies below the menu, which is closed by then. */
function holdSecondClick(): void {
  const hold = (event: MouseEvent) => {
    if (event.detail > 1) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  document.addEventListener('click', hold, { capture: true, once: true });
}
