// Loads screens, dialogs and parts of screens on demand, and handles failed loads. Does not use React.lazy: Suspense
// shows its fallback for at least 300 ms, even if the file loads faster.
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { ScreenFailed, ScreenLoading } from './page.tsx';
import { showError } from './ui/toast-store.ts';
import { t } from './words/translate.ts';

type Load<Props> = () => Promise<ComponentType<Props>>;

/**
 * Returns a component that loads a screen on first use, or earlier if its `load` is called. Until then it shows
 * `place`. If the file cannot be fetched, the component shows an error with a button to reload.
 */
export function lazyScreen<Props extends object>(load: Load<Props>, place: ReactNode = <ScreenLoading />) {
  const useLoaded = rememberLoaded(load);
  function LazyScreen(props: Props) {
    const [failed, setFailed] = useState(false);
    const Screen = useLoaded(() => setFailed(true));
    if (failed) {
      return (
        <ScreenFailed
          heading={t('This page did not load')}
          words={t('The connection may have been lost, or the portal was updated.')}
        />
      );
    }
    return Screen ? <Screen {...props} /> : place;
  }
  return Object.assign(LazyScreen, { load: useLoaded.load });
}

/**
 * Returns a component that loads a dialog on first use, or earlier if its `load` is called. If the file cannot be
 * fetched, the component shows an error and closes the dialog. Opening the dialog again repeats the load.
 */
export function lazyDialog<Props extends { onClose: () => void }>(load: Load<Props>) {
  const useLoaded = rememberLoaded(load);
  function LazyDialog(props: Props) {
    const Loaded = useLoaded(() => {
      showError(t('This did not load'), t('Please check your connection and try again.'));
      props.onClose();
    });
    return Loaded ? <Loaded {...props} /> : null;
  }
  return Object.assign(LazyDialog, { load: useLoaded.load });
}

/** Like `lazyScreen`, for a part of a screen. Shows no error: the screen loads at the same time, and shows one. */
export function lazyPart<Props extends object>(load: Load<Props>, place: ReactNode) {
  const useLoaded = rememberLoaded(load);
  function LazyPart(props: Props) {
    const Loaded = useLoaded(() => undefined);
    return Loaded ? <Loaded {...props} /> : place;
  }
  return Object.assign(LazyPart, { load: useLoaded.load });
}

/** Returns a hook that returns the component; undefined until it is loaded. `load` of the hook can load it earlier. */
function rememberLoaded<Props extends object>(load: Load<Props>) {
  let loaded: ComponentType<Props> | undefined;
  const keep = async () => {
    loaded = await load();
    return loaded;
  };
  function useLoaded(onFailure: () => void): ComponentType<Props> | undefined {
    const [component, setComponent] = useState(() => loaded);
    const fail = useEffectEvent(onFailure);
    useEffect(() => {
      if (loaded) return;
      let left = false;
      keep().then(
        (arrived) => setComponent(() => arrived),
        () => !left && fail(),
      );
      return () => {
        left = true;
      };
    }, []);
    return component;
  }
  return Object.assign(useLoaded, { load: keep });
}
