// A text field with its label and its error beside it.
import type { InputHTMLAttributes, Ref } from 'react';
import { Problem } from './problem.tsx';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  id: string;
  label: string;
  /** Said under the field when its value does not fit. */
  error?: string | null;
  /** Id of a hint elsewhere. */
  hintId?: string;
  ref?: Ref<HTMLInputElement>;
};

export function Field({ id, label, error, hintId, ...input }: FieldProps) {
  const errorId = `${id}-error`;
  return (
    <div className="grid grid-cols-1 content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        className="min-h-12 w-full rounded-md border border-line-control bg-surface px-3.5 text-base transition-[border-color] placeholder:text-ink-3 placeholder:opacity-100 hover:border-ink-3 focus-visible:border-transparent focus-visible:-outline-offset-1 aria-invalid:border-danger"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : hintId}
      />
      {error && <Problem id={errorId}>{error}</Problem>}
    </div>
  );
}
