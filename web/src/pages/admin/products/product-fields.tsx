// The text fields of a product. The form that adds a product and the form that changes a product share them
// (R-APROD-02, R-LIFE-31).
import type { ReactNode } from 'react';
import { TextArea } from '../../../ui/text-area.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';

/** The text fields of a new product. */
export const EMPTY_TEXTS = {
  name: '',
  url: '',
  description: '',
  page_title: '',
  header_text: '',
  instructions: '',
};
type TextName = keyof typeof EMPTY_TEXTS;
type Text = {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

type ProductFieldsProps = {
  field: (name: TextName) => Text;
  /** Returns the content below a field, for example the value that somebody else saved. */
  below?: (name: TextName) => ReactNode;
  /** The field 'Shared Coupon', shown after the text fields. */
  children: ReactNode;
};

/** Returns the text fields of a saved product; a text that is null is an empty field. */
export function textsOf(product: Record<TextName, string | null>): typeof EMPTY_TEXTS {
  const texts = { ...EMPTY_TEXTS };
  for (const name of Object.keys(texts) as TextName[]) texts[name] = product[name] ?? '';
  return texts;
}

/** Returns the error texts of the required fields. A text is shown if its field is blank. */
export function sayRequired() {
  return {
    name: say('Enter a name'),
    url: say('Enter the address where learners redeem'),
    description: say('Enter a description'),
  };
}

export function ProductFields({ field, below, children }: ProductFieldsProps) {
  return (
    <div className={styles.fields}>
      <div>
        <TextField {...field('name')} label={say('Name')} required maxLength={200} />
        {below?.('name')}
      </div>
      <div>
        <TextField
          {...field('url')}
          label={say('URL')}
          required
          inputMode="url"
          placeholder="https://"
          maxLength={2048}
        />
        {below?.('url')}
      </div>
      <div className={styles.full}>
        <TextArea {...field('description')} label={say('Description')} required rows={3} maxLength={5000} />
        {below?.('description')}
      </div>
      <div>
        <TextField {...field('page_title')} label={say('Page Title')} optional maxLength={200} />
        {below?.('page_title')}
      </div>
      <div>
        <TextField {...field('header_text')} label={say('Header Text')} optional maxLength={500} />
        {below?.('header_text')}
      </div>
      <div className={styles.full}>
        <TextArea
          {...field('instructions')}
          label={say('Instructions')}
          optional
          rows={3}
          maxLength={10_000}
          hint={say('One step per line. Web links become clickable.')}
        />
        {below?.('instructions')}
      </div>
      {children}
    </div>
  );
}
