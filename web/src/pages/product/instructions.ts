// Splits a product's instructions into steps.

/** Returns one step for each non-blank line, in order; `number` starts at 1 (R-PROD-26). */
export function splitInstructions(text: string | null | undefined): { number: number; text: string }[] {
  return (text ?? '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => ({ number: index + 1, text: line }));
}
