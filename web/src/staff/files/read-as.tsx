// Selects for how the page reads a file: its sheet and its encoding. A change reads the file again.
import { ENCODINGS, type Encoding } from '@portal/contract';
import { useId } from 'react';
import { COMPACT_INPUT, NativeSelect } from '../../ui/field.tsx';
import { t } from '../../words/translate.ts';
import type { ReadChoices } from './file-text.ts';
import type { UploadSource } from './follow.ts';

type ReadAsProps = { source: UploadSource; more?: ReadChoices };

/** The sheets of a workbook that has several (R-MAP-12). */
export function SheetSelect({ source: { sheets, sheet, again }, more }: ReadAsProps) {
  if (sheets.length < 2) return null;
  return (
    <Choose
      label={t('Sheet')}
      value={`${sheet}`}
      options={sheets.map((label, at) => ({ value: `${at}`, label }))}
      onChange={(at) => again({ ...more, sheet: Number(at) })}
    />
  );
}

/** The encoding of a CSV file with characters beyond ASCII (R-MAP-13). */
export function EncodingSelect({ source: { encoding, again }, more }: ReadAsProps) {
  if (encoding === null) return null;
  return (
    <Choose
      label={t('Read as')}
      value={encoding}
      options={Object.entries(ENCODINGS).map(([value, label]) => ({ value, label }))}
      onChange={(value) => again({ ...more, encoding: value as Encoding })}
    />
  );
}

type ChooseProps = {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => Promise<void>;
};

export function Choose({ label, onChange, ...select }: ChooseProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-2 min-w-0 text-sm">
      <label htmlFor={id} className="text-ink-2 whitespace-nowrap">
        {label}
      </label>
      <NativeSelect
        id={id}
        className={COMPACT_INPUT}
        frame="min-w-0"
        onChange={(value) => void onChange(value)}
        {...select}
      />
    </div>
  );
}
