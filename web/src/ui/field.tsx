// Form fields: a frame with label, hint and error message, and the controls in it.
import { ChevronsUpDown } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type SyntheticEvent,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
} from 'react';
import { t } from '../words/translate.ts';
import { classes } from './dom.ts';
import { Icon } from './icon.tsx';
import { Problem } from './notice.tsx';
import { isolate } from './text.tsx';

/** Classes of every text field and select, without its size. */
export const INPUT =
  'w-full bg-surface border border-line-control transition-[border-color] placeholder:text-ink-3 hover:border-ink-3 focus-visible:-outline-offset-1 focus-visible:border-transparent disabled:bg-sunken disabled:border-line-strong disabled:text-ink-disabled disabled:cursor-not-allowed aria-invalid:border-danger';

/** On touch screens, text is larger, because iOS zooms into a focused field with text below 16 px. */
const FIELD_INPUT = `${INPUT} px-3 rounded-md text-md pointer-coarse:text-(length:--text-base)`;
const LINE = `${FIELD_INPUT} min-h-10`;

/** Classes of a control in a toolbar, a menu or a row of a table. */
export const COMPACT_INPUT = `${INPUT} min-h-8 px-2.5 rounded-sm text-sm/5.5 pointer-coarse:text-(length:--text-base)`;

/** Classes of a search field: a filled box, whose lower edge has the contrast of a border of a control (WCAG 1.4.11). */
export const SEARCH_INPUT =
  'bg-sunken! [&:not(:hover,:focus-visible)]:border-x-transparent [&:not(:hover,:focus-visible)]:border-t-transparent';

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

export function Field({ label, hint, error, required, noStar, optional, group, ...props }: FrameProps) {
  const ownId = useId();
  const { id = ownId, className, children } = props;
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
        {required && !noStar && <RequiredStar />}
        {optional && (
          <span className="font-normal text-ink-3"> {optional === true ? t('optional') : optional}</span>
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

export function RequiredStar() {
  return (
    <span className="ml-0.5 text-danger-text" aria-hidden="true">
      *
    </span>
  );
}

/** A field with the attributes of its control, whose value is a text. */
type TextProps<Attributes> = FieldProps &
  Omit<Attributes, keyof FieldProps | 'value' | 'onChange'> & {
    value: string;
    onChange: (value: string) => void;
  };

type TextFieldProps = TextProps<InputHTMLAttributes<HTMLInputElement>> & {
  /** True makes the field as tall as a large button. */
  large?: boolean;
  mono?: boolean;
  /** True if the field gets the focus when it appears. */
  focused?: boolean | undefined;
};

/** The browser does not fill in the field, unless `autoComplete` is set. */
export function TextField({ onChange, large, mono, focused, ...props }: TextFieldProps) {
  const { label, hint, error, noStar, optional, className, autoComplete = 'off', ...input } = props;
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) element.current?.focus();
  }, [focused]);
  return (
    <Field {...props}>
      {(control) => (
        <input
          ref={element}
          dir="auto"
          {...input}
          {...control}
          autoComplete={autoComplete}
          className={classes(
            large ? `${INPUT} min-h-12 px-3.5 rounded-md text-base` : LINE,
            mono && 'font-mono tracking-normal [font-variant-ligatures:none]',
          )}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({ onChange, ...props }: TextProps<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { label, hint, error, noStar, optional, className, ...area } = props;
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          dir="auto"
          {...area}
          {...control}
          className={`${FIELD_INPUT} min-h-22 py-2`}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

type SelectProps = FieldProps & {
  name?: string;
  value: string;
  onChange: (value: string) => void;
  /** Shown while no option is selected. */
  prompt: string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
};

export function Select({ name, value, onChange, prompt, options, ...field }: SelectProps) {
  const all = [{ value: '', label: prompt }, ...options];
  const select = { name, value, onChange, options: all, className: LINE };
  return <Field {...field}>{(control) => <NativeSelect {...control} {...select} />}</Field>;
}

type NativeSelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> &
  Pick<SelectProps, 'value' | 'onChange' | 'options'> & {
    /** Classes of the frame, which has our arrow icon instead of the browser's. */
    frame?: string;
  };

export function NativeSelect({ frame, options, onChange, ...select }: NativeSelectProps) {
  return (
    <span
      className={classes(
        'relative grid [&>select]:cursor-pointer [&>select]:appearance-none [&>select]:pr-9 [&>select]:text-ellipsis',
        "[&>select:has(option[value='']:checked)]:text-ink-3 [&_option]:bg-surface [&_option]:text-ink",
        frame,
      )}
    >
      <select {...select} onChange={({ target }) => onChange(target.value)}>
        {options.map(({ value, label, note }) => (
          <option key={value} value={value}>
            {note ? `${isolate(label)} (${note})` : label}
          </option>
        ))}
      </select>
      <Icon
        of={ChevronsUpDown}
        size={16}
        className="absolute top-1/2 right-3 text-ink-3 pointer-events-none [translate:0_-50%]"
      />
    </span>
  );
}

/** Value of a day of which only a part is typed. The browser reports '', which means 'no day'. Schemas reject this value. */
const INCOMPLETE = 'incomplete';

/** Its value is YYYY-MM-DD, or '' for no day. */
type DateFieldProps = TextProps<Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>>;

/** The days that the portal stores. With this last day, browsers limit a typed year to four digits. */
const FIRST = '2000-01-01';
const LAST = '2999-12-31';

/** The browser's own date control, which shows the day in the user's format. */
export function DateField({ value, onChange, min, max, ...props }: DateFieldProps) {
  const { label, hint, error, required, noStar, optional, className, ...input } = props;
  const note = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
    const next = currentTarget.validity.badInput ? INCOMPLETE : currentTarget.value;
    if (next !== value) onChange(next);
  };
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...input}
          {...control}
          type="date"
          min={min || FIRST}
          max={max || LAST}
          value={value === INCOMPLETE ? '' : value}
          className={classes(
            LINE,
            'min-w-0 tabular-nums data-empty:[&:not(:focus)]:text-ink-3 [&::-webkit-date-and-time-value]:min-h-5.5 [&::-webkit-date-and-time-value]:text-left',
          )}
          data-empty={value === '' || undefined}
          onChange={note}
          // Browsers fire no change event between empty and incomplete.
          onKeyUp={note}
          onBlur={note}
        />
      )}
    </Field>
  );
}

type CheckProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'name' | 'disabled' | 'className'> & {
  label: ReactNode;
  hint?: string;
  value: boolean;
  onChange: (value: boolean) => void;
};

export function Check({ name, label, hint, value, onChange, disabled, className }: CheckProps) {
  const hintId = useId();
  return (
    <div className={className}>
      <label className="inline-flex items-start gap-2.5 text-md/6 cursor-pointer has-disabled:text-ink-3 has-disabled:cursor-not-allowed">
        <input
          type="checkbox"
          className="flex-none size-4.5 mt-0.75 accent-ink cursor-[inherit]"
          name={name}
          checked={value}
          disabled={disabled}
          aria-describedby={hint && hintId}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={hintId} className="text-sm ml-7 text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}
