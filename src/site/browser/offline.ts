// The script of bundles, whose pages are opened from a folder. It sends no requests.
import { startCopy } from './copy.js'
import { startMedia } from './media.js'
import { startNavigation } from './navigation.js'
import { searchBundle } from './offline-search.js'
import { startAll } from './page.js'
import { startPrint } from './print.js'
import { startSearch } from './search.js'
import { startTabs } from './tabs.js'
import { startTheme } from './theme.js'

startAll([startTabs, startTheme, () => startSearch(searchBundle), startNavigation, startCopy, startMedia, startPrint])
