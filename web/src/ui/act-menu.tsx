// A button that opens a menu of acts (actions), for example for one row of a list. It shows three dots, or other words.
import { Ellipsis } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import styles from './act-menu.module.css';
import { type Act, ActMenuItems } from './act-menu-items.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import { useLeaving } from './use-leaving.ts';

type ActMenuProps = {
  /** Label of the button: 'More for' and the name of a product. */
  label: string;
  /** The acts in groups. A line separates two groups. */
  groups: readonly (readonly Act[])[];
  /** The content of the button, which `label` names; three dots if it is missing. */
  face?: ReactNode;
  /** Text below the acts. */
  foot?: string;
  /** True while an act that was chosen is running. */
  busy?: boolean;
};

export function ActMenu({ label, groups, face, foot, busy }: ActMenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => setOpen(false);
  useLeaving(root, open, close);
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <div ref={root} className={styles.root}>
      <Button
        ref={opener}
        size="sm"
        className={classes(styles.opener, face !== undefined && styles.worded)}
        busy={busy}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={face === undefined ? label : undefined}
        onKeyDown={openByKey}
        onClick={() => setOpen(!open)}
      >
        {face ?? <Icon of={Ellipsis} size={16} />}
      </Button>
      {open && (
        <ActMenuItems
          id={id}
          label={label}
          foot={foot}
          groups={groups.filter((acts) => acts.length > 0)}
          onLeave={() => {
            close();
            opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}
