// Labelled controls of dense forms: text, several lines, one of a list, yes or no.
import { ChevronsUpDown } from 'lucide-react';
import type {
  InputHTMLAttributes,
  ReactNode,
  Ref,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'react';
import { say } from '../words/say.ts';
import { classes } from './classes.ts';
import styles from './form-field.module.css';
import { Icon } from './icon.tsx';
import { isolate } from './isolate.ts';
import { Problem } from './problem.tsx';

type Around = {
  id: string;
  label: string;
  /** Said before it is needed, under the control. */
  hint?: string;
  /** Said under the control when its value does not fit. */
  error?: string | null;
  /** Says that it may be left empty. */
  optional?: boolean;
  className?: string;
};

/** Ids of what describes the control. */
function describe({ id, hint, error }: Around): string | undefined {
  return classes(error && `${id}-error`, hint && `${id}-hint`) || undefined;
}

type LabelProps = Around & { required?: boolean; children: ReactNode };

function Labelled({ id, label, hint, error, optional, required, className, children }: LabelProps) {
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={styles.label}>
        {label}
        <Marks required={required} optional={optional} />
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && <Problem id={`${id}-error`}>{error}</Problem>}
    </div>
  );
}

/** The star of a field that must be filled in, or the word that it need not be. */
export function Marks({ required, optional }: { required?: boolean; optional?: boolean }) {
  return (
    <>
      {required && (
        <span className={styles.required} aria-hidden="true">
          *
        </span>
      )}
      {optional && <span className={styles.optional}> {say('optional')}</span>}
    </>
  );
}

type TextFieldProps = InputHTMLAttributes<HTMLInputElement> &
  Around & { mono?: boolean; ref?: Ref<HTMLInputElement> };

export function TextField({ label, hint, error, optional, className, mono, ...input }: TextFieldProps) {
  const around = { id: input.id, label, hint, error, optional, className };
  return (
    <Labelled {...around} required={input.required}>
      <input
        dir="auto"
        {...input}
        className={classes(styles.input, mono && styles.mono)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describe(around)}
      />
    </Labelled>
  );
}

type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & Around;

export function TextArea({ label, hint, error, optional, className, ...input }: TextAreaProps) {
  const around = { id: input.id, label, hint, error, optional, className };
  return (
    <Labelled {...around} required={input.required}>
      <textarea
        dir="auto"
        {...input}
        className={styles.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={describe(around)}
      />
    </Labelled>
  );
}

type Option = { value: string; label: string; note?: string | undefined };
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'size'> &
  Around & {
    /** Shown while nothing is chosen. */
    prompt: string;
    options: readonly Option[];
    /** The label already carries its star. */
    starInLabel?: boolean;
  };

export function Select({ prompt, options, starInLabel, ...props }: SelectProps) {
  const { label, hint, error, optional, className, ...select } = props;
  const around = { id: select.id, label, hint, error, optional, className };
  return (
    <Labelled {...around} required={select.required && !starInLabel}>
      <span className={styles.choice}>
        <select
          {...select}
          className={styles.input}
          aria-invalid={error ? true : undefined}
          aria-describedby={describe(around)}
        >
          <option value="">{prompt}</option>
          {options.map(({ value, label: words, note }) => (
            <option key={value} value={value}>
              {note ? `${isolate(words)} (${note})` : words}
            </option>
          ))}
        </select>
        <Icon of={ChevronsUpDown} size={16} />
      </span>
    </Labelled>
  );
}

type CheckProps = InputHTMLAttributes<HTMLInputElement> & { label: string; hint?: string };

export function Check({ label, hint, className, ...input }: CheckProps) {
  const hintId = hint && input.id ? `${input.id}-hint` : undefined;
  return (
    <div className={className}>
      <label className={styles.check}>
        <input type="checkbox" {...input} aria-describedby={hintId} />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={hintId} className={classes(styles.hint, styles.checkHint)}>
          {hint}
        </p>
      )}
    </div>
  );
}
