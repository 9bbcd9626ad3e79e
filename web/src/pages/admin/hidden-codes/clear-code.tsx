// A code that is not hidden, in a row of a table, with a button that copies it (R-FIND-02).
import styles from './clear-code.module.css';
import { CopyCode } from './copy-code.tsx';

export function ClearCode({ code }: { code: string }) {
  return (
    <span className={styles.line}>
      <span className={styles.code}>{code}</span>
      <CopyCode code={code} />
    </span>
  );
}
