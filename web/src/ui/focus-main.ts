/** Moves the focus to the main content, for use when the focused control is removed. Does not scroll. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}
