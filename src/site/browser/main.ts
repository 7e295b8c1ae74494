// The script of published sites. Everything can be read and reached without it.
import { startCopy } from './copy.js'
import { startFeedback } from './feedback.js'
import { startMedia } from './media.js'
import { startNavigation } from './navigation.js'
import { onClick, startAll } from './page.js'
import { startPrint } from './print.js'
import { askServer, startSearch } from './search.js'
import { startTabs } from './tabs.js'
import { startTheme } from './theme.js'
import { startVisits } from './visits.js'

/** Loads the script of suggestions when a reader starts one. Without it, the link opens a form. */
const startSuggestions = (): void =>
  onClick<HTMLAnchorElement>('[data-suggest]', (link, event) => {
    event.preventDefault()
    import(link.dataset.suggest ?? '')
      .then(({ startSuggestion }: typeof import('./suggest.js')) => startSuggestion(link))
      .catch(() => location.assign(link.href))
  })

startAll([
  startTabs,
  startTheme,
  () => startSearch(askServer),
  startNavigation,
  startCopy,
  startMedia,
  startFeedback,
  startPrint,
  startVisits,
  startSuggestions,
])
