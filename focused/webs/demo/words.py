"""The words of the demo web: eight topics with their vocabularies, and the general one that all pages share.

Lists are in order of frequency (a page draws them by a Zipf law). Neighbours in ``TOPICS`` are confusable pairs and share
words on purpose (a *transit* in astronomy and at sea, a *variation* in chess and in music), so that no single word decides.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The vocabulary of one topic, by the part of speech that a sentence asks for.

    things : countable nouns, singular; stuff : nouns without plural; acts : verbs, base form;
    kinds : adjectives; names : people and places; sites : names of web sites about the topic.
    """

    name: str
    title: str
    things: tuple[str, ...]
    stuff: tuple[str, ...]
    acts: tuple[str, ...]
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    sites: tuple[str, ...]


def _lexicon(name: str, title: str, things: str, stuff: str, acts: str, kinds: str, names: str, sites: str) -> Lexicon:
    # An underscore keeps two words together: "black_hole" is one entry of the list.
    def words(text: str) -> tuple[str, ...]:
        return tuple(word.replace("_", " ") for word in text.split())

    return Lexicon(
        name, title, words(things), words(stuff), words(acts), words(kinds), words(names), tuple(sites.split())
    )


TOPICS = (
    _lexicon(
        "astronomy",
        "Astronomy",
        "star planet telescope galaxy orbit comet moon asteroid nebula observatory constellation eclipse meteor "
        "crater spectrum supernova satellite cluster mirror lens eyepiece black_hole quasar pulsar dwarf giant "
        "meridian horizon chart transit pole sextant almanac latitude observer night sunspot corona aurora probe "
        "lander spacecraft photograph filter detector dome mount finder refractor reflector parallax magnitude "
        "wavelength redshift exoplanet disc ring equinox solstice zodiac binary halo filament jet void survey",
        "light gravity dust gas hydrogen helium radiation astronomy cosmology darkness navigation twilight dark_matter "
        "starlight moonlight plasma luminosity vacuum space seeing photometry spectroscopy time distance",
        "observe orbit shine rotate collapse expand eclipse emit absorb photograph measure magnify track detect "
        "map explode glow accrete resolve align",
        "stellar lunar solar celestial galactic bright faint distant orbital cosmic nocturnal variable massive "
        "interstellar planetary dark infrared spectral equatorial circumpolar visible luminous radio double",
        "Galileo Kepler Hubble Messier Herschel Cassini Orion Andromeda Jupiter Saturn Mars Venus Polaris Halley "
        "Tycho Sirius Betelgeuse Cassiopeia Leavitt Paranal",
        "starfield-journal night-sky-notes orion-observers deepfield comet-watch lunar-atlas spiral-arm zenith-club",
    ),
    _lexicon(
        "sailing",
        "Sailing",
        "boat sail mast harbour keel rudder anchor hull crew wind regatta tide chart compass yacht sloop jib spinnaker "
        "boom winch halyard deck cabin cockpit buoy lighthouse horizon port starboard sextant almanac latitude "
        "longitude star knot rope line bow stern skipper sailor dinghy catamaran ketch schooner marina mooring "
        "voyage passage gale squall current swell wave reef channel transit pole mainsail genoa cleat shackle "
        "fender tiller helm berth vessel race leg mark course island bay",
        "rigging navigation seamanship canvas varnish ballast weather spray salt seasickness ropework sailcloth "
        "leeway drift trim sailing wake epoxy water twilight moonlight distance",
        "sail tack gybe reef moor anchor steer haul hoist trim capsize navigate drift heel splice furl cruise race "
        "beat log track",
        "nautical coastal offshore windward leeward seaworthy tidal single-handed upwind downwind wooden maritime "
        "rough calm salty double-ended slack equatorial shallow celestial buoyant",
        "Slocum Chichester Knox-Johnston Solent Cowes Fastnet Biscay Azores Horn Joshua Beaufort Tabarly Plymouth "
        "Newport Hebrides Kattegat Madeira MacArthur",
        "leeward-log harbour-master blue-water-diary tiller-and-tide sailcraft knots-and-splices regatta-week",
    ),
    _lexicon(
        "cooking",
        "Cooking",
        "recipe sauce oven dish onion tomato herb pan soup potato egg knife spice bread dough carrot salad stew roast "
        "pepper lemon bean kitchen cook chef ingredient flavour plate bowl pot spoon tray cake tart pie pudding "
        "biscuit dumpling noodle broth stock marinade glaze leaf stalk root seed pumpkin leek apple pear plum berry "
        "cherry courgette cabbage mushroom lentil chickpea clove olive grill hob blender whisk ladle supper feast "
        "menu portion crust filling",
        "butter flour garlic salt sugar cream oil vinegar cheese rice pasta basil thyme parsley rosemary mint sage "
        "cinnamon ginger nutmeg yeast honey milk heat seasoning chocolate mustard chutney",
        "bake boil roast simmer fry chop slice whisk knead season taste grate peel braise poach steam marinate stir "
        "serve melt preheat garnish",
        "crisp savoury sweet tender spicy fresh roasted golden creamy bitter sour ripe homemade slow-cooked buttery "
        "seasonal chopped smoked raw tangy aromatic dried fragrant",
        "Escoffier Provence Bologna Lyon Naples Oaxaca Beeton Grigson Kyoto Sichuan Apicius Marseille Modena Dijon "
        "Parma Genoa Careme Puglia",
        "copper-pan sunday-supper the-slow-oven salt-and-thyme crumb-and-crust market-kitchen ladle",
    ),
    _lexicon(
        "gardening",
        "Gardening",
        "garden plant seed flower border bed leaf root shrub rose bulb tomato herb seedling lawn hedge greenhouse pot "
        "spade fork trowel pruner compost_heap cutting blossom stem stalk bud petal tulip daffodil dahlia fern "
        "climber perennial annual tree orchard apple pear plum cherry berry pumpkin leek carrot potato bean "
        "courgette cabbage onion pest slug snail aphid weed allotment cloche trellis path pond season frost "
        "gardener nursery graft rootstock variety wheelbarrow hose harvest",
        "soil compost mulch manure water shade sunlight drainage clay peat moss lavender basil thyme parsley rosemary "
        "mint sage pollen nectar grass horticulture blight mildew rain fertiliser loam",
        "prune plant sow water dig weed mulch graft harvest transplant germinate bloom mow rake trim propagate thin "
        "divide stake feed pinch",
        "hardy evergreen shady fragrant sunny herbaceous fertile organic perennial tender seasonal ripe blooming "
        "climbing ornamental well-drained acidic wild dormant leafy fresh compact",
        "Sissinghurst Jekyll Kew Chelsea Giverny Linnaeus Wisley Hidcote Lutyens Repton Tradescant Monet Versailles "
        "Sackville-West Dixter Brown",
        "the-potting-shed border-country seed-and-spade greenfinch-allotments rose-register mulch kitchen-garden-diary",
    ),
    _lexicon(
        "chess",
        "Chess",
        "game move pawn knight bishop rook queen king board piece opening endgame player tournament master grandmaster "
        "gambit variation defence attack sacrifice check checkmate square diagonal rank file centre castle pin fork "
        "skewer exchange position combination problem study theme composition score column clock match round title "
        "champion rating pairing blunder zugzwang stalemate draw trap plan weakness outpost passed_pawn tablebase "
        "engine opponent simultaneous club league flank line tempo prodigy pocket_set scoresheet "
        "novelty transposition fianchetto hanging_piece prelude",
        "strategy tactics analysis notation theory initiative development preparation material mobility harmony "
        "counterplay time_trouble chess calculation technique tension concentration practice blindfold_play space",
        "castle capture check promote sacrifice defend attack resign analyse calculate develop exchange blunder win "
        "draw transpose blockade fork compose play",
        "positional tactical strategic sharp closed open winning drawn passed isolated doubled defensive aggressive "
        "brilliant weak quiet solid theoretical classical romantic minor major",
        "Capablanca Lasker Alekhine Tal Fischer Kasparov Carlsen Polgar Morphy Sicilian Nimzowitsch Botvinnik Reti "
        "Anand Philidor Steinitz Caro-Kann Hastings Petrosian",
        "rook-and-pawn the-sixty-four en-passant-review endgame-cafe knights-tour blitz-club zugzwang-weekly",
    ),
    _lexicon(
        "music",
        "Music",
        "song concert orchestra symphony violin piano melody chord instrument composer conductor singer album rhythm "
        "sonata opera guitar cello flute trumpet drum choir quartet score note scale key string bow recital "
        "rehearsal performance movement theme variation composition opening prelude fugue concerto overture aria "
        "tempo beat bar measure soloist pianist violinist ensemble band recording microphone stage hall audience "
        "festival ballad chorus verse refrain lyric interval octave cadence piece study prodigy master maestro "
        "pitch reed organ harpsichord saxophone waltz nocturne",
        "harmony counterpoint jazz blues folk_music tuning timbre acoustics percussion brass music improvisation "
        "notation phrasing dynamics resonance theory technique silence practice tension sound development",
        "play sing compose conduct rehearse tune perform record improvise transpose arrange listen strum bow hum "
        "harmonise accompany resolve modulate",
        "musical melodic orchestral choral baroque classical romantic minor major acoustic harmonic tonal loud quiet "
        "lyrical syncopated virtuoso chromatic vocal sharp flat resonant open",
        "Bach Mozart Beethoven Chopin Schubert Debussy Ellington Vivaldi Brahms Salzburg Vienna Stradivari Coltrane "
        "Clara_Schumann Handel Bayreuth Satie Holiday",
        "counterpoint-review the-second-violin bandstand quaver-and-rest vinyl-cellar organ-loft a-minor",
    ),
    _lexicon(
        "medicine",
        "Medicine",
        "patient doctor disease symptom treatment hospital nurse drug vaccine infection surgeon clinic blood_test "
        "remedy therapy tumour fever heart lung kidney liver artery vein vessel nerve muscle bone fracture "
        "wound virus cell tissue_sample gene protein hormone antibody dose tablet injection scan biopsy transplant "
        "operation bypass shunt junction signal trunk monitor ward bed trial placebo side_effect cancer stroke "
        "allergy inhaler joint rash ulcer headache pulse rhythm stress_test screening specialist "
        "physician pharmacy prescription catheter stent syndrome epidemic recovery relapse network",
        "medicine blood surgery pain insulin oxygen inflammation immunity diabetes anaesthesia hygiene nutrition "
        "radiation cholesterol pressure circulation pneumonia malaria tuberculosis rehabilitation care strain "
        "transmission aspirin penicillin",
        "treat diagnose prescribe vaccinate operate recover inject relieve prevent heal screen monitor bleed breathe "
        "swallow examine infect transmit suffer",
        "clinical chronic acute surgical medical viral bacterial cardiac infectious preventive malignant benign "
        "respiratory oral therapeutic pulmonary sterile inflamed elderly severe congenital arterial",
        "Jenner Pasteur Lister Fleming Nightingale Salk Harvey Curie Semmelweis Hippocrates Virchow Koch Blackwell "
        "Banting Galen Snow Barnard",
        "ward-round bedside-letters the-clinic-review pulse-and-pressure vaccine-forum heartline case-notes",
    ),
    _lexicon(
        "railways",
        "Railway history",
        "train locomotive railway station line track carriage engine signal platform tunnel viaduct bridge timetable "
        "junction depot branch boiler driver fireman guard wagon tender coupling sleeper rail gauge siding cutting "
        "embankment terminus signal_box level_crossing turntable piston cylinder chimney wheel bogie brake whistle "
        "ticket passenger express goods_train tram route trunk network shunt bypass company engineer navvy gradient "
        "summit halt footbridge water_tower yard workshop livery museum preservation_society narrow_gauge_line railcar "
        "diesel pantograph loop operation accident inspection artery tank_engine compartment dining_car monitor",
        "steam coal traffic ballast freight iron steel electrification signalling heritage nationalisation mail "
        "ironwork circulation strain pressure transmission nostalgia engineering smoke timber traction",
        "run haul shunt couple stoke electrify close reopen restore build depart arrive derail connect operate "
        "signal brake inspect preserve",
        "narrow broad-gauge suburban electric abandoned preserved industrial rural scenic steam-hauled disused "
        "Victorian double-tracked underground long-distance express restored single derelict regional articulated",
        "Stephenson Brunel Gresley Rainhill Darlington Crewe Swindon Settle Beeching Trevithick Paddington Mallard "
        "Semmering Baltimore Locke Hackworth Gotthard York",
        "branch-line-archive steam-and-signal the-old-timetable viaduct narrow-gauge-notes sleeper-and-chair lampman",
    ),
)

GENERAL = _lexicon(
    "general",
    "General",
    "year time crowd day week month place way part house town story question idea reader visitor book letter "
    "friend family child group member meeting programme project school street shop market building room door window "
    "table picture page report list price team office company job plan problem result reason "
    "example answer change choice detail evening morning weekend winter summer journey road village city country "
    "neighbour teacher student course lesson workshop event festival exhibition library museum newspaper magazine "
    "interview photograph map guide collection tradition method tool box bag machine computer telephone camera "
    "budget rule law vote council mayor committee volunteer guest owner customer expert beginner habit mistake "
    "memory surprise conversation decade century generation anniversary discussion view opinion subject word line "
    "open_day newsletter prize holiday hotel restaurant park river bridge corner gate",
    "work help advice money news information research history experience interest attention patience practice "
    "knowledge evidence care weather travel education business support progress luck space quality safety noise "
    "paper glass wood traffic energy training publicity planning conversation effort",
    "make find take give keep show use try learn begin need want help ask tell follow change leave read write meet "
    "join visit remember explain compare choose collect repair improve discover finish share prepare discuss enjoy "
    "describe support test record study answer open close",
    "new old good small large long local early late simple different important recent free public private common "
    "famous young careful patient curious quiet busy popular practical useful regular annual general "
    "modern traditional cheap expensive difficult easy strange familiar remarkable honest modest short final",
    "Anna Thomas Maria Peter Helen James Sofia Martin Clara Henry Ines Oliver Ruth Daniel Alice Victor Nora Felix",
    "daily-lantern commonplace town-crier window-seat morning-post kettle-and-key paper-lantern market-square",
)

TOWNS = (
    "Leeds Bristol Cardiff Dublin Ghent Bergen Porto Turin Graz Utrecht Malmo Halifax Wellington Boston Toronto Cork "
    "Aarhus Basel"
).split()

PORTALS = (
    "webring-central open-directory gateway-pages everyday-portal links-of-the-week the-signpost start-here "
    "compass-portal"
).split()
UNIVERSITIES = (
    "ashford-university northbridge-college university-of-lindholm st-aldhelm-institute westmere-polytechnic "
    "kestrel-state-university"
).split()
MAGAZINES = (
    "fortnight-review the-weekend-reader broadsheet-online evening-standpoint curious-times leisure-monthly "
    "the-generalist penny-magazine"
).split()
BLOGS = (
    "marthas-notebook two-left-feet tea-and-opinions the-attic-window postcards-home slow-sunday loose-ends "
    "dog-eared-pages"
).split()
