/** Renders the open panel. The code of a panel is loaded when it is opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { openedPanel, type PanelName } from './shell/panels.js'

const PANELS: Record<PanelName, () => Promise<ComponentType>> = {
  palette: () => import('./screens/palette.js').then((one) => one.Palette),
  shortcuts: () => import('./screens/shortcuts.js').then((one) => one.Shortcuts),
}

/** The open panel, above the screen. */
export function Panels() {
  const name = openedPanel.value
  const [shown, setShown] = useState<{ name: PanelName; Panel: ComponentType } | null>(null)
  useEffect(() => {
    if (name === null) setShown(null)
    else void PANELS[name]().then((Panel) => setShown({ name, Panel }))
  }, [name])
  return shown !== null && shown.name === name ? <shown.Panel /> : null
}
