// The frame of every control of a form: its label, a hint, and the error of its value.
import { type ReactNode, useId } from 'react';
import { say } from '../words/say.ts';
import { classes } from './classes.ts';
import { Problem } from './problem.tsx';

export type FieldProps = {
  id?: string | undefined;
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean | undefined;
  /** Draws no star at a required field: its label has one, or it is the form's only field. */
  noStar?: boolean | undefined;
  /** Says that the field may be left empty. */
  optional?: boolean | undefined;
  'aria-describedby'?: string | undefined;
  className?: string | undefined;
};

/** Attributes of the control in a frame. */
type ControlProps = {
  id: string;
  required: boolean | undefined;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
};

type FrameProps = FieldProps & {
  /** The control is several: it is labelled by `{id}-label` and its own id. */
  group?: boolean;
  children: (control: ControlProps) => ReactNode;
};

export function Field({
  label,
  hint,
  error,
  required,
  noStar,
  optional,
  group,
  className,
  ...props
}: FrameProps) {
  const ownId = useId();
  const { id = ownId, children } = props;
  const control: ControlProps = {
    id,
    required,
    'aria-invalid': error ? true : undefined,
    'aria-describedby':
      classes(error && `${id}-error`, hint && `${id}-hint`, props['aria-describedby']) || undefined,
  };
  const Frame = group ? 'fieldset' : 'div';
  const Label = group ? 'span' : 'label';
  return (
    <Frame className={classes('grid min-w-0 grid-cols-1 content-start gap-1.5', className)}>
      {group && <legend className="sr-only">{label}</legend>}
      <Label
        {...(group ? { id: `${id}-label`, 'aria-hidden': true } : { htmlFor: id })}
        className="text-sm font-medium"
      >
        {label}
        {required && !noStar && (
          <span className="ml-0.5 text-danger-text" aria-hidden="true">
            *
          </span>
        )}
        {optional && <span className="font-normal text-ink-3"> {say('optional')}</span>}
      </Label>
      {children(control)}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-3">
          {hint}
        </p>
      )}
      {error && <Problem id={`${id}-error`}>{error}</Problem>}
    </Frame>
  );
}
