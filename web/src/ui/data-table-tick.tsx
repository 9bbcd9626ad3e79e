// The check box of a row of a table, or of the table's head.
import styles from './data-table.module.css';

type DataTableTickProps = {
  label: string;
  isTicked: boolean;
  /** True if some rows of the table are ticked, but not all. Only for the check box of the head. */
  isMixed?: boolean;
  onTick: (isTicked: boolean, box: HTMLInputElement) => void;
};

export function DataTableTick({ label, isTicked, isMixed = false, onTick }: DataTableTickProps) {
  return (
    <label className={styles.box}>
      <input
        // The browser has no attribute for this state.
        ref={(box) => {
          if (box) box.indeterminate = isMixed;
        }}
        type="checkbox"
        aria-label={label}
        checked={isTicked}
        onChange={({ target }) => onTick(target.checked, target)}
      />
    </label>
  );
}
