// A code that is hidden: dots, its hint, and a button that shows it. Once it is shown, the button copies it.
import { useRef, useState } from 'react';
import { useCopy } from '../../../parts/use-copy.ts';
import { classes } from '../../../ui/classes.ts';
import { say } from '../../../words/say.ts';
import { tellCopied } from '../tell-copied.ts';
import styles from './hidden-code.module.css';
import { type MaybeHidden, sayCode, speakCode } from './say-code.ts';
import type { Reveals } from './use-reveals.ts';

type HiddenCodeProps = {
  coupon: MaybeHidden & { id: string };
  reveals: Reveals;
  /** False if the user's role may not see this code. There is no button then. */
  mayShow?: boolean;
  /** True for a revoked code, which is struck through. */
  struck?: boolean;
};

export function HiddenCode({ coupon, reveals, mayShow = true, struck = false }: HiddenCodeProps) {
  const code = reveals.shown.get(coupon.id);
  const { hint } = coupon;
  const Text = struck ? 'del' : 'span';
  return (
    <span className={styles.code}>
      <Text className={classes(styles.text, struck && styles.struck, code !== undefined && styles.shown)}>
        {code ?? (
          <>
            <span aria-hidden="true">{sayCode(coupon)}</span>
            <span className="sr-only">{speakCode(coupon)}</span>
          </>
        )}
      </Text>
      {mayShow && (
        <Act
          code={code}
          label={hint ? say('Show the code ending in {hint}', { hint }) : say('Show the hidden code')}
          isOff={reveals.isOff}
          onShow={() => reveals.show(coupon.id)}
        />
      )}
    </span>
  );
}

type ActProps = {
  code: string | undefined;
  /** Name of the button `Show`. */
  label: string;
  isOff: boolean;
  onShow: () => Promise<void>;
};

function Act({ code, label, isOff, onShow }: ActProps) {
  const [busy, setBusy] = useState(false);
  const copyButton = useRef<HTMLButtonElement>(null);
  const { copy } = useCopy();
  const show = async () => {
    if (busy) return;
    setBusy(true);
    await onShow();
    setBusy(false);
    // The button `Copy` takes the place of the pressed one and gets its focus, so that screen readers read its name,
    // which has the code. If the focus is elsewhere by now, it stays there.
    if (document.activeElement === document.body) copyButton.current?.focus();
  };
  // The keys make two elements of the buttons. Screen readers do not read a name that changes.
  return code === undefined ? (
    // Uses `aria-disabled` instead of `disabled`: the button keeps the focus, and a click says how long to wait.
    <button
      key="show"
      type="button"
      className={styles.act}
      aria-label={label}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      onClick={() => void show()}
    >
      {say('Show')}
    </button>
  ) : (
    <button
      key="copy"
      ref={copyButton}
      type="button"
      className={styles.act}
      aria-label={say('Copy {code}', { code })}
      onClick={async () => tellCopied(await copy(code))}
    >
      {say('Copy')}
    </button>
  );
}
