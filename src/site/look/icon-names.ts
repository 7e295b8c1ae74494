/**
 * Phosphor icons by the Font Awesome names that pages use. Icons with the same name in both sets are not listed. Other
 * icons are shown as in Font Awesome, whose free set lacks those at the end of the list.
 */
const NAMES = `
address-card:identification-card alarm-clock:alarm align-center:text-align-center align-justify:text-align-justify
angle-down:caret-down angle-left:caret-left angle-right:caret-right angle-up:caret-up angles-down:caret-double-down
angles-left:caret-double-left angles-right:caret-double-right angles-up:caret-double-up apple-whole:orange
arrow-down-1-9:sort-ascending arrow-down-9-1:sort-descending arrow-down-a-z:sort-ascending arrow-down-long:arrow-down
arrow-down-short-wide:sort-ascending arrow-down-wide-short:sort-descending arrow-left-long:arrow-left
arrow-pointer:cursor arrow-right-arrow-left:arrows-left-right arrow-right-from-bracket:sign-out
arrow-right-long:arrow-right arrow-right-to-bracket:sign-in arrow-rotate-left:arrow-counter-clockwise
arrow-rotate-right:arrow-clockwise arrow-trend-down:trend-down arrow-trend-up:trend-up
arrow-turn-down:arrow-bend-right-down arrow-turn-up:arrow-bend-right-up arrow-up-from-bracket:export
arrow-up-long:arrow-up arrow-up-right-from-square:arrow-square-out arrows-left-right-to-line:arrows-out-line-horizontal
arrows-rotate:arrows-clockwise arrows-spin:arrows-clockwise arrows-split-up-and-left:arrows-split
arrows-up-down:arrows-vertical arrows-up-down-left-right:arrows-out-cardinal award:medal backward:rewind
backward-step:skip-back bag-shopping:shopping-bag ban:prohibit bandage:bandaids bars:list bars-progress:list-checks
bars-staggered:list-dashes basket-shopping:basket bath:bathtub battery-half:battery-medium battery-quarter:battery-low
battery-three-quarters:battery-high beer-mug-empty:beer-stein bell-concierge:call-bell blog:article bold:text-b
bolt:lightning bolt-lightning:lightning book-atlas:book book-open-reader:book-open-user border-all:grid-four
box-archive:archive box-open:package boxes-stacked:package braille:dots-nine bread-slice:bread brush:paint-brush
building-columns:bank bullhorn:megaphone bullseye:target burger:hamburger bus-simple:bus business-time:clock-user
cake-candles:cake calendar-day:calendar-dot calendar-days:calendar-dots calendar-week:calendar-dots
calendar-xmark:calendar-x camera-retro:camera campground:tent capsules:pill cart-shopping:shopping-cart
chalkboard-user:chalkboard-teacher champagne-glasses:champagne chart-area:chart-line chart-column:chart-bar
chart-diagram:tree-structure chart-gantt:kanban chart-simple:chart-bar check-double:checks check-to-slot:check-square
chess:strategy chess-knight:strategy chevron-down:caret-down chevron-left:caret-left chevron-right:caret-right
chevron-up:caret-up child:person-simple children:users circle-arrow-down:arrow-circle-down
circle-arrow-left:arrow-circle-left circle-arrow-right:arrow-circle-right circle-arrow-up:arrow-circle-up
circle-check:check-circle circle-chevron-down:caret-circle-down circle-chevron-left:caret-circle-left
circle-chevron-right:caret-circle-right circle-chevron-up:caret-circle-up circle-dollar-to-slot:hand-coins
circle-dot:radio-button circle-down:arrow-circle-down circle-exclamation:warning-circle circle-half-stroke:circle-half
circle-info:info circle-left:arrow-circle-left circle-minus:minus-circle circle-nodes:share-network
circle-pause:pause-circle circle-play:play-circle circle-plus:plus-circle circle-question:question
circle-right:arrow-circle-right circle-stop:stop-circle circle-up:arrow-circle-up circle-user:user-circle
circle-xmark:x-circle clapperboard:film-slate clipboard-check:clipboard-text clipboard-list:clipboard-text
clock-rotate-left:clock-counter-clockwise clone:copy cloud-bolt:cloud-lightning cloud-showers-heavy:cloud-rain
code-branch:git-branch code-commit:git-commit code-compare:git-diff code-fork:git-fork code-merge:git-merge
code-pull-request:git-pull-request comment:chat comment-dots:chat-dots comment-slash:chat-slash comments:chats
compact-disc:disc compass-drafting:compass-tool compress:corners-in computer:desktop computer-mouse:mouse
cookie-bite:cookie credit-card-alt:credit-card crosshairs:crosshair cubes:stack cubes-stacked:stack
delete-left:backspace diagram-next:flow-arrow diagram-predecessor:flow-arrow diagram-project:tree-structure
diagram-successor:flow-arrow diamond-turn-right:signpost dice:dice-five display:monitor dollar-sign:currency-dollar
dolly:trolley door-closed:door dove:bird draw-polygon:polygon droplet:drop droplet-slash:drop-slash dumbbell:barbell
ear-listen:ear earth-africa:globe-hemisphere-east earth-americas:globe-hemisphere-west
earth-asia:globe-hemisphere-east earth-europe:globe-hemisphere-east earth-oceania:globe-hemisphere-east
ellipsis:dots-three ellipsis-vertical:dots-three-vertical envelope-open-text:envelope-open envelopes-bulk:envelope
ethernet:network euro-sign:currency-eur exclamation:exclamation-mark expand:corners-out explosion:fire
eye-dropper:eyedropper face-angry:smiley-angry face-frown:smiley-sad face-grin:smiley face-laugh:smiley
face-meh:smiley-meh face-smile:smiley face-smile-wink:smiley-wink face-surprise:smiley-nervous feather-pointed:feather
file-circle-plus:file-plus file-circle-xmark:file-x file-contract:file-text file-excel:file-xls file-export:file-arrow-up
file-half-dashed:file-dashed file-import:file-arrow-down file-invoice:invoice file-invoice-dollar:invoice
file-lines:file-text file-pen:note-pencil file-powerpoint:file-ppt file-shield:file-lock file-signature:signature
file-word:file-doc file-zipper:file-zip fill-drip:paint-bucket film:film-strip filter:funnel
filter-circle-xmark:funnel-x fire-flame-curved:flame flask-vial:flask folder-closed:folder folder-tree:tree-view
font:text-t forward:fast-forward forward-step:skip-forward futbol:soccer-ball gamepad:game-controller
gauge-high:speedometer gauge-simple:gauge gears:gear-six gem:diamond glasses:eyeglasses golf-ball-tee:golf
greater-than-equal:greater-than-or-equal grip:dots-six grip-lines:equals grip-vertical:dots-six-vertical
group-arrows-rotate:arrows-clockwise hand-back-fist:hand-fist hand-holding:hand-palm hand-holding-dollar:hand-coins
hand-holding-hand:handshake hand-holding-heart:hand-heart hand-point-down:hand-pointing hand-point-right:hand-pointing
hand-point-up:hand-pointing hand-pointer:hand-tap hand-sparkles:hand-waving handshake-angle:handshake
hashtag:hash hat-wizard:magic-wand heading:text-h heart-crack:heart-break heart-pulse:heartbeat helicopter:drone
helmet-safety:hard-hat hospital-user:hospital hotel:bed hourglass-end:hourglass-low hourglass-half:hourglass-medium
hourglass-start:hourglass-high house-chimney:house house-laptop:laptop house-user:house i-cursor:cursor-text
icons:shapes id-badge:identification-badge id-card:identification-card image-portrait:user-rectangle inbox:tray
indent:text-indent industry:factory italic:text-italic jet-fighter:airplane-tilt kit-medical:first-aid-kit
landmark:bank language:translate laptop-code:laptop layer-group:stack left-right:arrows-left-right
less-than-equal:less-than-or-equal life-ring:lifebuoy link-slash:link-break list-check:list-checks
list-ol:list-numbers list-ul:list-bullets location-arrow:navigation-arrow location-crosshairs:gps location-dot:map-pin
location-pin:map-pin lock-alt:lock magnifying-glass-chart:chart-line-up map:map-trifold map-location-dot:map-pin-area
marker:pen martini-glass:martini masks-theater:mask-happy maximize:arrows-out message:chat-circle microchip:cpu
microphone-lines:microphone minimize:arrows-in mobile:device-mobile mobile-button:device-mobile
mobile-screen:device-mobile mobile-screen-button:device-mobile money-bill:money money-bill-1:money
money-bill-transfer:currency-circle-dollar money-bill-trend-up:chart-line-up money-bill-wave:money-wavy
money-bills:money money-check:money money-check-dollar:money mortar-pestle:flask mountain:mountains
mountain-sun:mountains mug-hot:coffee mug-saucer:coffee music:music-notes network-wired:network not-equal:not-equals
note-sticky:note notes-medical:clipboard-text object-group:selection-all object-ungroup:selection-foreground
outdent:text-outdent paintbrush:paint-brush paste:clipboard paw:paw-print pen-clip:paperclip pen-fancy:pen-nib
pen-ruler:pencil-ruler pen-to-square:note-pencil people-arrows:users people-group:users-three
person-chalkboard:chalkboard-teacher person-digging:traffic-cone person-hiking:person-simple-hike
person-running:person-simple-run person-walking:person-simple-walk phone-volume:phone-call photo-film:images
pills:pill pizza-slice:pizza plane:airplane plane-arrival:airplane-landing plane-departure:airplane-takeoff
plane-up:airplane plug-circle-bolt:plug-charging plug-circle-check:plugs-connected podcast:apple-podcasts-logo
power-off:power print:printer puzzle:puzzle-piece qrcode:qr-code quote-left:quotes quote-right:quotes
radiation:radioactive ranking-star:ranking rectangle-list:list-dashes rectangle-xmark:x-square reply:arrow-bend-up-left
reply-all:arrow-bend-double-up-left retweet:repeat right-from-bracket:sign-out right-left:arrows-left-right
right-to-bracket:sign-in road:road-horizon rotate:arrows-clockwise rotate-left:arrow-counter-clockwise
rotate-right:arrow-clockwise route:path ruler-combined:ruler ruler-horizontal:ruler sack-dollar:currency-circle-dollar
satellite:broadcast satellite-dish:broadcast scale-balanced:scales scale-unbalanced:scales school:graduation-cap
screwdriver-wrench:wrench sd-card:sim-card section:paragraph seedling:plant server:hard-drives
share-from-square:share share-nodes:share-network shield-halved:shield-checkered shield-heart:shield-star
ship:boat shirt:t-shirt shop:storefront shuttle-space:rocket-launch signal:cell-signal-full signs-post:signpost
sitemap:tree-structure sliders-h:sliders-horizontal smog:cloud-fog sort:caret-up-down sort-down:caret-down
sort-up:caret-up spa:flower-lotus spell-check:text-aa spray-can:spray-bottle square-arrow-up-right:arrow-square-out
square-check:check-square square-minus:minus-square square-pen:note-pencil square-plus:plus-square
square-poll-vertical:chart-bar square-poll-horizontal:chart-bar-horizontal square-root-variable:radical
square-rss:rss square-share-nodes:share-network square-up-right:arrow-square-out square-xmark:x-square
star-half-stroke:star-half sterling-sign:currency-gbp stopwatch:timer store:storefront strikethrough:text-strikethrough
subscript:text-subscript suitcase-medical:first-aid-kit superscript:text-superscript swatchbook:swatches
table-cells:grid-nine table-cells-large:squares-four table-columns:columns table-list:list-dashes
tablet:device-tablet tablet-button:device-tablet tablet-screen-button:device-tablet tachograph-digital:gauge tags:tag
temperature-half:thermometer temperature-high:thermometer-hot temperature-low:thermometer-cold text-height:text-aa
text-slash:text-t-slash thumbtack:push-pin thumbtack-slash:push-pin-slash ticket-simple:ticket timeline:git-commit
toggle-off:toggle-left toggle-on:toggle-right tower-broadcast:broadcast tower-cell:cell-tower
traffic-light:traffic-signal train-subway:subway trash-can:trash triangle-exclamation:warning truck-fast:truck
truck-medical:ambulance tv:television turn-down:arrow-bend-right-down turn-up:arrow-bend-right-up
umbrella-beach:island underline:text-underline universal-access:person-simple-circle unlock:lock-open
unlock-keyhole:lock-key-open up-down:arrows-vertical up-down-left-right:arrows-out-cardinal
up-right-and-down-left-from-center:arrows-out up-right-from-square:arrow-square-out user-astronaut:user
user-clock:clock-user user-doctor:user user-graduate:student user-group:users user-pen:user-list
user-secret:detective user-shield:shield-check user-tie:user user-xmark:user-minus users-gear:user-gear
users-line:users-three users-viewfinder:user-focus utensils:fork-knife van-shuttle:van vest:hoodie vial:test-tube
vials:test-tube video:video-camera video-slash:video-camera-slash volume-high:speaker-high volume-low:speaker-low
volume-off:speaker-none volume-xmark:speaker-x vr-cardboard:virtual-reality wand-magic:magic-wand
wand-magic-sparkles:magic-wand wand-sparkles:magic-wand water:waves weight-scale:scales wheat-awn:grains
wifi:wifi-high window-maximize:app-window window-restore:browsers wine-glass:wine xmark:x
github:github-logo gitlab:gitlab-logo discord:discord-logo slack:slack-logo youtube:youtube-logo
linkedin:linkedin-logo facebook:facebook-logo instagram:instagram-logo reddit:reddit-logo x-twitter:x-logo
twitter:twitter-logo apple:apple-logo android:android-logo windows:windows-logo linux:linux-logo figma:figma-logo
medium:medium-logo mastodon:mastodon-logo telegram:telegram-logo tiktok:tiktok-logo whatsapp:whatsapp-logo
threads:threads-logo
brain-circuit:brain chart-mixed:chart-line chatgpt:open-ai-logo clipboard-list-check:list-checks gitbook-assistant:sparkle
grid:squares-four grid-2:squares-four grid-2-plus:squares-four memo:note message-bot:chat-circle-dots
octagon-check:seal-check party-horn:confetti rectangle-terminal:terminal-window sparkles:sparkle
square-terminal:terminal-window user-headset:headset webhook:webhooks-logo
`

const byName = new Map(
  NAMES.trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [name = '', icon = ''] = pair.split(':')
      return [name, icon]
    }),
)

/** Returns the Phosphor icon for a Font Awesome name; the name itself if it is not listed. */
export const phosphorName = (name: string): string => byName.get(name) ?? name
