// The props of controls that let the user choose one of several values.

type Option = { value: string; label: string; count?: number | undefined };
export type ChoiceProps = {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
};
