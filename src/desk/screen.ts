/** The type of the routes of each part of the app. */
import type { ComponentType } from 'preact'

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, string>>
/** A component that renders the screen of a route. */
export type Screen = ComponentType<Parameters>

/** A screen and its address. */
export interface Route {
  pattern: string
  load: () => Promise<Screen>
  /** Whether the screen is available without a sign-in. */
  isOpen?: boolean
}
