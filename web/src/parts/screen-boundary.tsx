// Catches errors that a screen throws, so that header and footer are still shown.
import { Component, type ReactNode } from 'react';
import { say } from '../words/say.ts';
import { ScreenFailed } from './screen-failed.tsx';

type ScreenBoundaryProps = { path: string; children: ReactNode };

/** React requires a class for an error boundary. If `path` changes, the boundary renders its children again. */
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
