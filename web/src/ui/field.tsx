// The frame of every form control: its label, hint and error message.
import { type ReactNode, useId } from 'react';
import { say } from '../words/say.ts';
import { classes } from './classes.ts';
import { Problem } from './problem.tsx';

export type FieldProps = {
  id?: string | undefined;
  label: string;
  hint?: string | undefined;
  error?: ReactNode;
  required?: boolean | undefined;
  /** True omits the star of a required field: the label already contains a star, or the form has only this field. */
  noStar?: boolean | undefined;
  /** True adds the word 'optional' to the label. A text is added instead of this word. */
  optional?: boolean | string | undefined;
  'aria-describedby'?: string | undefined;
  className?: string | undefined;
};

/** Attributes that `Field` passes to its control. They connect the control to its label, hint and error. */
type ControlProps = {
  id: string;
  required: boolean | undefined;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
};

type FrameProps = FieldProps & {
  /** True if the field has several controls. The label is then a <span> with the id `{id}-label`. */
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
      classes(!!error && `${id}-error`, hint && `${id}-hint`, props['aria-describedby']) || undefined,
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
        {optional && (
          <span className="font-normal text-ink-3"> {optional === true ? say('optional') : optional}</span>
        )}
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
