/** Components whose code is loaded when they are drawn first. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns a component that draws nothing until its code is there. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.VNode | null {
  return function Later(props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
    useEffect(() => void load().then((one) => setLoaded(() => one)), [])
    return Loaded && <Loaded {...props} />
  }
}
