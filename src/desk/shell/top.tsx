/** The header of every screen: breadcrumbs, the command box, notifications and the user's menu. */
import { address } from '../route.js'
import { session, signOut } from '../api/session.js'
import { changeSettings, useSettings } from '../api/settings.js'
import { useUnread } from '../api/unread.js'
import { shownTheme } from '../theme-switch.js'
import { fill, plural, words } from '../words/index.js'
import { Icon, type IconName } from './icons.js'
import { Mark } from './mark.js'
import { Avatar } from './people.js'
import { openPanel } from './panels.js'
import { SideButton } from './side.js'
import { attempt } from './toast.js'

/** An item of the breadcrumbs. */
export interface Crumb {
  title: string
  href: string
}

export function Top({ crumbs, hasSide }: { crumbs: readonly Crumb[]; hasSide: boolean }) {
  const w = words().common
  const user = session.value?.user
  const unread = useUnread(user !== undefined)
  useSettings()
  return (
    <header class="top">
      <nav class="crumbs" aria-label={w.youAreHere}>
        {hasSide && <SideButton />}
        <a class="mark" href="/" aria-label={w.home}>
          <Mark />
          <span>{w.appName}</span>
        </a>
        <ol>
          {crumbs.map(({ title, href }, at) => (
            <li key={href}>
              <Icon name="right" class="tw" />
              <a href={href} aria-current={at === crumbs.length - 1 ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <button type="button" class="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => openPanel('palette')}>
        <Icon name="search" />
        <span>{w.find}</span>
        <kbd>{isMac() ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <div class="top-end">
        <button type="button" class="icb only-s" aria-label={w.find} onClick={() => openPanel('palette')}>
          <Icon name="search" />
        </button>
        <a
          class="icb"
          href="/inbox"
          aria-label={unread === 0 ? w.notifications : plural(w.unread, unread)}
          aria-current={address.value.path === '/inbox' ? 'page' : undefined}
        >
          <Icon name="bell" />
          {unread > 0 && (
            <span class="count hot" aria-hidden="true">
              {unread}
            </span>
          )}
        </a>
        <button type="button" class="icb hide-s" aria-label={w.theme} onClick={switchTheme}>
          <Icon name="moon" />
        </button>
        {user && (
          <>
            <button
              type="button"
              class="icb a-me"
              popovertarget="m-me"
              aria-label={fill(w.yourMenu, { name: user.displayName })}
            >
              <Avatar name={user.displayName} />
            </button>
            <div
              class="pop menu"
              popover
              id="m-me"
              role="dialog"
              aria-label={fill(w.yourMenu, { name: user.displayName })}
            >
              <MenuLink href="/settings" icon="gear" text={w.settings} />
              <MenuLink href="/inbox#settings" icon="bell" text={w.notificationSettings} />
              <MenuLink href="/settings/tokens" icon="key" text={w.tokens} />
              <MenuLink href="/settings/devices" icon="desktop" text={w.devices} />
              <button type="button" onClick={() => openPanel('shortcuts')}>
                <Icon name="list" />
                {w.shortcuts}
              </button>
              <hr />
              <button type="button" onClick={() => attempt(signOut)}>
                <Icon name="sign-out" />
                {w.signOut}
              </button>
            </div>
          </>
        )}
      </div>
    </header>
  )
}

const MenuLink = ({ href, icon, text }: { href: string; icon: IconName; text: string }) => (
  <a href={href} onClick={() => document.getElementById('m-me')?.hidePopover()}>
    <Icon name={icon} />
    {text}
  </a>
)

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Switches between light and dark. The server remembers the choice for the user. */
export const switchTheme = (): void => void changeSettings({ theme: shownTheme() === 'dark' ? 'light' : 'dark' })
