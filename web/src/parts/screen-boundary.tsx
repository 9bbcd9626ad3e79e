// Keeps a fault in a screen from taking header and footer down with it.
import { Component, type ReactNode } from 'react';
import { say } from '../words/say.ts';
import { ScreenFailed } from './screen-failed.tsx';

type ScreenBoundaryProps = { path: string; children: ReactNode };

/** A class, because React knows no other way to catch what a screen throws. Another `path` is another try. */
export class ScreenBoundary extends Component<ScreenBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate({ path }: ScreenBoundaryProps) {
    if (path !== this.props.path) this.setState({ failed: false });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <ScreenFailed
        heading={say('Something went wrong')}
        words={say('This page has a fault. Loading it anew may help.')}
      />
    );
  }
}
