/** The options of a site's customization, by subject. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError, type Schemas } from '../api/client.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { AreaField, ChoiceField, type Choices, Segments, TextField } from './form.js'
import { CustomizeLinks } from './customize-links.js'
import { adminWords } from './words.js'

type Look = Schemas['SiteCustomization']
type Themed = Look['styling']['primaryColor']

const FONTS = [
  'ABCFavorit',
  'Inter',
  'Roboto',
  'RobotoSlab',
  'OpenSans',
  'SourceSansPro',
  'Lato',
  'Ubuntu',
  'Raleway',
  'Merriweather',
  'Overpass',
  'NotoSans',
  'IBMPlexSerif',
  'Poppins',
  'FiraSans',
] as const
const CODE_FONTS = [
  'FiraCode',
  'IBMPlexMono',
  'JetBrainsMono',
  'SourceCodePro',
  'RobotoMono',
  'SpaceMono',
  'DMMono',
  'Inconsolata',
  'UbuntuMono',
] as const
const LOCALES = ['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'] as const

/** "IBMPlexMono" becomes "IBM Plex Mono". */
const spaced = (name: string): string => name.replace(/([a-z])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3 $2$4')
const named = <T extends string>(names: readonly T[]): Choices<T> => names.map((name) => [name, spaced(name)] as const)

/** Renders the options. Each change is passed on at once. */
export function CustomizeOptions({
  look,
  onChange,
  error,
}: {
  look: Look
  onChange: (look: Look) => void
  error: unknown
}) {
  const w = adminWords().customize
  const problem = (path: string): string | undefined =>
    error instanceof ApiError
      ? error.details.find((one) => one.path === path || one.path?.startsWith(`${path}/`))?.message
      : undefined
  const styling = (changes: Partial<Look['styling']>) => onChange({ ...look, styling: { ...look.styling, ...changes } })
  const { styling: style, announcement } = look
  return (
    <>
      <Option title={w.color} isOpen>
        <ColorField
          label={w.primary}
          darkLabel={w.primaryDark}
          value={style.primaryColor}
          error={problem('/styling/primaryColor')}
          onChange={(primaryColor) => styling({ primaryColor })}
        />
        <ChoiceField
          label={w.theme}
          value={style.theme}
          of={[
            ['clean', w.themes.clean],
            ['muted', w.themes.muted],
            ['bold', w.themes.bold],
            ['gradient', w.themes.gradient],
          ]}
          onChange={(theme) => styling({ theme })}
        />
        <div class="field">
          <span class="lab">{w.startWith}</span>
          <Segments
            label={w.startWith}
            value={look.themes.default}
            of={[
              ['light', w.light],
              ['dark', w.dark],
            ]}
            onChange={(one) => onChange({ ...look, themes: { ...look.themes, default: one } })}
          />
        </div>
        <Switch
          checked={look.themes.toggeable}
          onChange={(toggeable) => onChange({ ...look, themes: { ...look.themes, toggeable } })}
        >
          {w.mayChoose}
        </Switch>
      </Option>
      <Option title={w.type} isOpen>
        <ChoiceField
          label={w.font}
          value={typeof style.font === 'string' ? style.font : 'Inter'}
          of={named(FONTS)}
          onChange={(font) => styling({ font })}
        />
        <ChoiceField
          label={w.codeFont}
          value={typeof style.monospaceFont === 'string' ? style.monospaceFont : 'FiraCode'}
          of={named(CODE_FONTS)}
          onChange={(monospaceFont) => styling({ monospaceFont })}
        />
        <ChoiceField
          label={w.corners}
          value={style.corners}
          of={[
            ['straight', w.cornerNames.straight],
            ['rounded', w.cornerNames.rounded],
            ['circular', w.cornerNames.circular],
          ]}
          onChange={(corners) => styling({ corners })}
        />
      </Option>
      <Option title={w.header}>
        <TextField
          label={w.siteTitle}
          error={problem('/title')}
          value={look.title ?? ''}
          onInput={(title) => {
            const { title: _old, ...rest } = look
            onChange(title === '' ? rest : { ...rest, title })
          }}
        />
        <LogoFields look={look} onChange={onChange} problem={problem} />
        <CustomizeLinks
          links={look.header.links}
          onChange={(links) => onChange({ ...look, header: { ...look.header, links } })}
          problem={problem}
        />
      </Option>
      <Option title={w.footer}>
        <TextField
          label={w.copyright}
          error={problem('/footer/copyright')}
          value={look.footer.copyright ?? ''}
          onInput={(copyright) => {
            const { copyright: _old, ...rest } = look.footer
            onChange({ ...look, footer: copyright === '' ? rest : { ...rest, copyright } })
          }}
        />
        <Switch checked={look.trademark.enabled} onChange={(enabled) => onChange({ ...look, trademark: { enabled } })}>
          {w.trademark}
        </Switch>
      </Option>
      <Option title={w.announcement} state={announcement?.enabled ? w.on : w.off}>
        <Switch
          checked={announcement?.enabled ?? false}
          onChange={(enabled) =>
            onChange({ ...look, announcement: { style: 'info', message: '', ...announcement, enabled } })
          }
        >
          {w.showIt}
        </Switch>
        {announcement?.enabled && (
          <>
            <AreaField
              label={w.message}
              error={problem('/announcement/message')}
              value={announcement.message}
              onInput={(message) => onChange({ ...look, announcement: { ...announcement, message } })}
              rows={2}
            />
            <ChoiceField
              label={w.style}
              value={announcement.style}
              of={[
                ['info', w.styles.info],
                ['success', w.styles.success],
                ['warning', w.styles.warning],
                ['danger', w.styles.danger],
              ]}
              onChange={(one) => onChange({ ...look, announcement: { ...announcement, style: one } })}
            />
          </>
        )}
      </Option>
      <Option title={w.page}>
        <Switch checked={look.pdf.enabled} onChange={(enabled) => onChange({ ...look, pdf: { enabled } })}>
          {w.pdf}
        </Switch>
        <Switch
          checked={look.git.showEditLink}
          onChange={(showEditLink) => onChange({ ...look, git: { showEditLink } })}
        >
          {w.editLink}
        </Switch>
        <Switch checked={look.feedback.enabled} onChange={(enabled) => onChange({ ...look, feedback: { enabled } })}>
          {w.feedback}
        </Switch>
        <Switch
          checked={look.pagination.enabled}
          onChange={(enabled) => onChange({ ...look, pagination: { enabled } })}
        >
          {w.pagination}
        </Switch>
        <Switch
          checked={look.pageActions.markdown}
          onChange={(markdown) => onChange({ ...look, pageActions: { ...look.pageActions, markdown } })}
        >
          {w.markdown}
        </Switch>
        <Switch
          checked={look.pageActions.externalAI}
          onChange={(externalAI) => onChange({ ...look, pageActions: { ...look.pageActions, externalAI } })}
        >
          {w.ai}
        </Switch>
      </Option>
      <Option title={w.languages}>
        <ChoiceField
          label={w.locale}
          value={look.internationalization.locale}
          of={LOCALES.map((tag) => [tag, w.locales[tag]] as const)}
          onChange={(locale) => onChange({ ...look, internationalization: { locale } })}
        />
      </Option>
    </>
  )
}

function Option({
  title,
  state,
  isOpen,
  children,
}: {
  title: string
  state?: string
  isOpen?: boolean
  children: ComponentChildren
}) {
  const [opened, setOpened] = useState(isOpen === true)
  return (
    <details class="opt" open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <Icon name={opened ? 'down' : 'right'} />
        {title}
        {state !== undefined && (
          <>
            <span class="grow" />
            <span class="muted sm">{state}</span>
          </>
        )}
      </summary>
      {opened && <div>{children}</div>}
    </details>
  )
}

/** A color for light and for dark pages. */
function ColorField({
  label,
  darkLabel,
  value,
  error,
  onChange,
}: {
  label: string
  darkLabel: string
  value: Themed
  error: string | undefined
  onChange: (value: Themed) => void
}) {
  const swatch = (name: string, color: string, set: (color: string) => void) => (
    <>
      <input
        type="color"
        class="sw"
        aria-label={name}
        value={/^#[0-9a-f]{6}$/i.test(color) ? color : '#000000'}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <input
        class="in mono"
        aria-label={name}
        aria-invalid={error === undefined ? undefined : 'true'}
        value={color}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </>
  )
  return (
    <fieldset class="field">
      <legend class="lab">{label}</legend>
      <div class="row">
        {swatch(label, value.light, (light) => onChange({ ...value, light }))}
        {swatch(darkLabel, value.dark, (dark) => onChange({ ...value, dark }))}
      </div>
      <p class={error === undefined ? 'help' : 'help bad'}>{error ?? adminWords().customize.derived}</p>
    </fieldset>
  )
}

function LogoFields({
  look,
  onChange,
  problem,
}: {
  look: Look
  onChange: (look: Look) => void
  problem: (path: string) => string | undefined
}) {
  const w = adminWords().customize
  const { logo, ...header } = look.header
  const set = (light: string, dark: string) =>
    onChange({
      ...look,
      header: light === '' && dark === '' ? header : { ...header, logo: { light, dark: dark === '' ? light : dark } },
    })
  return (
    <>
      <TextField
        label={w.logo}
        help={w.logoHelp}
        error={problem('/header/logo')}
        value={logo?.light ?? ''}
        onInput={(light) => set(light, logo?.dark ?? '')}
        mono
      />
      {logo && <TextField label={w.logoDark} value={logo.dark} onInput={(dark) => set(logo.light, dark)} mono />}
    </>
  )
}
