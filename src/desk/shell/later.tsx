/** Components whose code is loaded on first render. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns a component that renders nothing, or an element in its place, until its code is loaded. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  inPlace: preact.VNode | null = null,
): (props: Props) => preact.VNode | null {
  return function Later(props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
    useEffect(() => void load().then((one) => setLoaded(() => one)), [])
    return Loaded ? <Loaded {...props} /> : inPlace
  }
}
