// A dialog that asks for confirmation: a question, what follows from the act, perhaps fields, and two buttons.
import { type ReactNode, type Ref, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { say } from '../words/say.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './confirm-dialog.module.css';
import { Dialog } from './dialog.tsx';

type ConfirmDialogProps = {
  title: string;
  /** What follows from the act. Screen readers announce it when the dialog opens. */
  words: ReactNode;
  /** Label of the button that confirms: the act as a verb. */
  confirm: string;
  /** Label of the other button; 'Cancel' if missing. */
  cancel?: string;
  /** True makes the confirming button red: the act ends something and cannot be taken back by the same person. */
  danger?: boolean;
  /** True while the act runs: the dialog stays open and both buttons are off. */
  busy?: boolean;
  /** True while something is missing, for example a reason that must be chosen. */
  disabled?: boolean;
  /** If this number changes, the dialog asks again: Cancel gets the focus. */
  asked?: number | undefined;
  onCancel: () => void;
  onConfirm: (event: SubmitEvent) => void;
  /** The form of the dialog, for `useForm`, which focuses the first field with an error. */
  formRef?: Ref<HTMLFormElement>;
  /** Fields and further sentences, between the words and the buttons. */
  children?: ReactNode;
};

export function ConfirmDialog({
  title,
  words,
  confirm,
  danger,
  busy,
  disabled,
  ...props
}: ConfirmDialogProps) {
  const { cancel = say('Cancel'), asked, onCancel, onConfirm, formRef, children } = props;
  const id = useId();
  const cancelButton = useRef<HTMLButtonElement>(null);
  // The dialog itself gives the focus to its first control, which may be a field.
  useEffect(() => cancelButton.current?.focus(), [asked]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // A dialog stands inside the form of its opener in the React tree, and events of React bubble through that tree.
    event.stopPropagation();
    if (!busy && !disabled) onConfirm(event);
  };
  return (
    <Dialog
      role="alertdialog"
      className={styles.dialog}
      labelledBy={`${id}-title`}
      describedBy={`${id}-words`}
      onClose={onCancel}
      closable={!busy}
    >
      <form ref={formRef} className={styles.sheet} noValidate onSubmit={submit}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-words`}>{words}</p>
        {children && <div className={styles.body}>{children}</div>}
        <div className={styles.choices}>
          <Button ref={cancelButton} disabled={busy} onClick={onCancel}>
            {cancel}
          </Button>
          <Button
            type="submit"
            look="primary"
            className={classes(danger && styles.danger)}
            busy={busy ?? false}
            disabled={disabled}
          >
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
