// The script of published sites. Everything can be read and reached without it.
import { startCopy } from './copy.js'
import { startFeedback } from './feedback.js'
import { startMedia } from './media.js'
import { startNavigation } from './navigation.js'
import { startAll } from './page.js'
import { startPrint } from './print.js'
import { askServer, startSearch } from './search.js'
import { startTabs } from './tabs.js'
import { startTheme } from './theme.js'
import { startVisits } from './visits.js'

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
])
