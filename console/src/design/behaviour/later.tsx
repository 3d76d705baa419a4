import { useEffect, useState, type ComponentType } from 'react';

interface Openable {
  readonly isOpen: boolean;
}

/**
 * Something that opens, and whose script comes after that of the page: when the browser has nothing else to do, be it on the page by then or not, or at
 * once where it is opened before. `lazy` of React would show it up to 300 ms later than it could (https://react.dev/reference/react/Suspense).
 */
export function later<Props extends Openable>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  let loaded: ComponentType<Props> | undefined;
  const begin = (): Promise<ComponentType<Props>> =>
    (loading ??= load().then(
      (component) => (loaded = component),
      (error: unknown) => {
        // Perhaps it comes another time.
        loading = undefined;
        throw error;
      },
    ));
  whenIdle(() => void begin().catch(() => undefined));
  return function Later(props: Props) {
    const [Component, setComponent] = useState(() => loaded);
    const [fault, setFault] = useState<unknown>(null);
    const [wasOpen, setWasOpen] = useState(props.isOpen);
    if (props.isOpen && !wasOpen) setWasOpen(true);
    useEffect(() => {
      if (!wasOpen || Component !== undefined) return;
      begin().then((component) => setComponent(() => component), setFault);
    }, [wasOpen, Component]);
    if (fault !== null) throw fault as Error;
    return Component === undefined || !wasOpen ? null : <Component {...props} />;
  };
}

function whenIdle(run: () => void): void {
  // Safari has none.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run);
  else setTimeout(run, 1_000);
}
