// A code that is not hidden, in a row of a table, with a button that copies it (R-FIND-02).
import { classes } from '../../../ui/classes.ts';
import whole from '../../../ui/whole-code.module.css';
import styles from './clear-code.module.css';
import { CopyCode } from './copy-code.tsx';

export function ClearCode({ code }: { code: string }) {
  return (
    <span className={styles.line}>
      <span className={classes(whole.whole, styles.code)}>{code}</span>
      <CopyCode code={code} />
    </span>
  );
}
