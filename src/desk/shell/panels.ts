/** Panels above all screens: the command palette, the list of shortcuts. One is open at a time. */
import { signal } from '@preact/signals'

/** The panels. */
export type PanelName = 'palette' | 'shortcuts'

/** The open panel. */
export const openedPanel = signal<PanelName | null>(null)

/** Opens a panel. */
export const openPanel = (name: PanelName): void => void (openedPanel.value = name)
/** Closes the open panel. */
export const closePanel = (): void => void (openedPanel.value = null)
