package main

// frame is something that people tell one another: how it is told, how it is asked for
// later, and what the listener asks about it. {x} is its object, {d} a detail, {w} a
// companion, {p} a place, {t} a time.
type frame struct {
	kind   string // asked together: "What {kind} does Anna have?"
	say    []string
	base   []string // the event in its base form: "When did Anna …?"
	object []string
	follow []followup
}

// followup is a question of the listener, the answer, and later questions for that
// answer.
type followup struct {
	ask, answer, later, detail []string
}

var frames = []frame{
	{
		kind:   "hobbies",
		say:    []string{"Guess what, I signed up for a {x} class {t}! It's been such a nice way to switch off.", "I finally started {x} {t}. I was nervous but everyone there was so kind.", "{t} I had my first {x} lesson and I can't stop thinking about it."},
		base:   []string{"sign up for a {x} class", "start learning {x}", "take up {x}", "have the first {x} lesson"},
		object: []string{"pottery", "salsa", "watercolor", "archery", "fencing", "guitar", "woodworking", "yoga", "photography", "calligraphy", "swimming", "drums"},
		follow: []followup{
			{[]string{"Wow, that's awesome! What made you want to try it?", "Nice! What got you into that?"}, []string{"Honestly {d}. It felt like the right moment.", "It was {d} that pushed me, I had been thinking about it for ages."}, []string{"Why did {A} take up {x}?", "What motivated {A} to begin {x}?", "What inspired {A} to try {x}?"}, []string{"a video of my grandmother doing it", "my doctor telling me to relax more", "the stress at work", "a poster I saw at the library", "my sister who kept talking about it", "a bet with my roommate"}},
			{[]string{"How often do you go?", "That's so cool. How many times a week is it?"}, []string{"{d}, and I practice at home as well.", "Right now {d}. I'd like to do more."}, []string{"How often does {A} go to {x} lessons?", "How many times a week does {A} practice {x}?"}, []string{"twice a week", "every Tuesday", "three evenings a week", "once a month", "each Saturday morning"}},
		},
	},
	{
		kind:   "pets",
		say:    []string{"Big news! We adopted a {x} {t}. The kids are over the moon.", "I brought home a little {x} {t}, look at that face!", "So, there's a new member of the family: a {x}! Picked it up {t}."},
		base:   []string{"adopt a {x}", "get a {x}", "bring home a new {x}"},
		object: []string{"beagle puppy", "tabby kitten", "rabbit", "parrot", "tortoise", "greyhound", "hamster", "corgi", "ferret", "goldfish"},
		follow: []followup{
			{[]string{"Aww, so cute! What's the name?", "Adorable! What did you call it?"}, []string{"{d}! It suits that silly face.", "We went with {d} after a long family vote."}, []string{"What is the name of {A}'s {x}?", "What did {A} name the {x}?"}, []string{"Biscuit", "Pepper", "Captain", "Luna", "Noodle", "Hazel", "Ziggy", "Mango", "Olive"}},
			{[]string{"How is it settling in?", "Is everything going well so far?"}, []string{"Pretty well, the only trouble is {d}.", "Mostly good! {d} is still a problem though."}, []string{"What problem does {A} have with the {x}?", "What difficulty did {A} face with the new pet?"}, []string{"chewing all the shoes", "barking at the mailman", "hiding under the sofa", "waking us at five", "scratching the curtains"}},
		},
	},
	{
		kind:   "trips",
		say:    []string{"I just got back from {x}! We were there {t} and it was breathtaking.", "{t} we went to {x} with {w}. I took so many photos.", "Sorry for being quiet, I was traveling in {x} {t}."},
		base:   []string{"travel to {x}", "visit {x}", "go on a trip to {x}", "take a vacation in {x}"},
		object: []string{"Lisbon", "Norway", "the Grand Canyon", "Kyoto", "Scotland", "Morocco", "Vancouver", "Iceland", "Peru", "Vienna", "Costa Rica", "Jordan"},
		follow: []followup{
			{[]string{"Amazing! What was the best part?", "Looks wonderful! What did you like most?"}, []string{"Definitely {d}. I will never forget it.", "For me it was {d}, no question."}, []string{"What was {A}'s favorite part of the trip to {x}?", "What did {A} enjoy most in {x}?"}, []string{"the sunrise over the harbor", "a tiny bakery by the river", "riding horses on the beach", "the northern lights", "the street musicians", "a night in a lighthouse", "the hot springs"}},
			{[]string{"Who did you go with?", "Did you travel alone?"}, []string{"With {d}, we had been planning it for a year.", "No, {d} came along!"}, []string{"Who did {A} travel to {x} with?", "Who accompanied {A} to {x}?"}, []string{"my cousin", "two friends from college", "my parents", "my old neighbor", "the whole choir", "my brother and his wife"}},
		},
	},
	{
		kind:   "jobs",
		say:    []string{"I got the job at the {x}! They called me {t}.", "Remember the interview? I start at the {x} soon, they told me {t}.", "{t} I was offered a position at a {x}. I'm still shaking!"},
		base:   []string{"get a job at the {x}", "get hired by the {x}", "receive an offer from the {x}"},
		object: []string{"animal hospital", "city museum", "game studio", "bakery", "architecture firm", "radio station", "law office", "publishing house", "solar company", "primary school"},
		follow: []followup{
			{[]string{"Congratulations, you earned it! What will you be doing?", "That's fantastic! What's the role?"}, []string{"I'll be {d}, which is just what I wanted.", "Mostly {d}. A bit scary but exciting."}, []string{"What is {A}'s role at the {x}?", "What work does {A} do at the {x}?"}, []string{"running the front desk", "designing posters", "training new staff", "editing interviews", "managing the budget", "writing the newsletter", "repairing old instruments"}},
			{[]string{"Are you nervous about anything?", "Anything that worries you?"}, []string{"A little, mainly {d}.", "Well, {d} keeps me up at night."}, []string{"What worries {A} about the new job?", "What is {A} anxious about at work?"}, []string{"the long commute", "speaking in front of people", "the night shifts", "the strict boss", "learning the software"}},
		},
	},
	{
		kind:   "competitions",
		say:    []string{"You won't believe it, I came {d1} in the {x} {t}!", "We had the {x} {t} and I ended up {d1}. So proud!", "{t} was the {x}. I finished {d1}, my best so far."},
		base:   []string{"take part in the {x}", "compete in the {x}", "enter the {x}"},
		object: []string{"chess tournament", "charity run", "baking contest", "dance competition", "half marathon", "robotics challenge", "poetry slam", "cycling race", "science fair", "film festival"},
		follow: []followup{
			{[]string{"That's incredible! How did you prepare?", "Well done! How did you get ready for it?"}, []string{"I was {d} for weeks, nothing else.", "Mainly {d}. My friends thought I was crazy."}, []string{"How did {A} prepare for the {x}?", "What did {A} do to get ready for the {x}?"}, []string{"getting up at five to train", "watching old recordings", "practicing with my uncle", "following a strict diet", "working with a coach"}},
			{[]string{"Did you win anything?", "What was the prize?"}, []string{"Yes, {d}! It's on my shelf now.", "They gave me {d}, can you imagine?"}, []string{"What prize did {A} get at the {x}?", "What did {A} win in the {x}?"}, []string{"a silver cup", "five hundred dollars", "a signed book", "a new helmet", "a trip to the coast", "a bronze medal"}},
		},
	},
	{
		kind:   "books",
		say:    []string{"I finished \"{x}\" {t} and I need someone to talk to about it.", "Have you read \"{x}\"? I got to the end {t} and cried.", "{t} I picked up \"{x}\" at the store and could not put it down."},
		base:   []string{"read \"{x}\"", "finish \"{x}\"", "finish reading {x}"},
		object: []string{"The Silent Orchard", "Rivers of Glass", "A Map of Winter", "The Clockmaker's Son", "Under Copper Skies", "The Last Cartographer", "Salt and Honey", "Nine Lanterns"},
		follow: []followup{
			{[]string{"No, not yet! What's it about?", "I've only heard of it. What is the story?"}, []string{"It's about {d}, and the writing is gorgeous.", "Basically {d}. I won't say more!"}, []string{"What is {x} about?", "What is the book that {A} read about?"}, []string{"a girl who builds boats", "two brothers after a war", "an old man looking for his daughter", "a village that forgets its own name", "a thief with a conscience"}},
			{[]string{"What did you take away from it?", "Did it change how you see things?"}, []string{"It taught me {d}.", "Yes! {d}, that is what stayed with me."}, []string{"What lesson did {A} take from \"{x}\"?", "What did {A} learn from the book?"}, []string{"to forgive people sooner", "that home is a choice", "to slow down", "not to fear mistakes", "how much small gestures matter"}},
		},
	},
	{
		kind:   "family events",
		say:    []string{"My {x} visited us {t}, the house was full of laughter.", "We celebrated my {x}'s birthday {t}. So much cake!", "{t} I went to my {x}'s wedding. Everyone danced until two."},
		base:   []string{"meet the {x}", "celebrate with the {x}", "spend time with the {x}"},
		object: []string{"grandmother", "niece", "older brother", "aunt", "stepfather", "twin sister", "godson", "cousin"},
		follow: []followup{
			{[]string{"How lovely! What did you do together?", "That sounds fun. What did you all get up to?"}, []string{"We {d} and talked all night.", "Nothing big, we just {d}."}, []string{"What did {A} do with the {x}?", "How did {A} spend the time with the {x}?"}, []string{"made dumplings", "went through old photo albums", "built a treehouse", "sang karaoke", "played cards", "picked strawberries", "cooked a huge paella"}},
			{[]string{"Did you bring a present?", "What did you give them?"}, []string{"I made {d} myself, it took forever.", "Yes, {d}. They loved it."}, []string{"What gift did {A} give to the {x}?", "What present did {A} make for the {x}?"}, []string{"a knitted scarf", "a wooden box", "a framed painting", "a silver necklace", "a recipe book", "a music box"}},
		},
	},
	{
		kind:   "health issues",
		say:    []string{"I had a rough week. I hurt my {x} {t} and can barely move.", "The doctor looked at my {x} {t}. Not great news, I have to rest.", "{t} I woke up with a terrible pain in my {x}."},
		base:   []string{"hurt the {x}", "injure the {x}", "have trouble with the {x}", "see a doctor about the {x}"},
		object: []string{"knee", "back", "shoulder", "ankle", "wrist", "neck", "hip"},
		follow: []followup{
			{[]string{"Oh no, I'm so sorry! How did it happen?", "Ouch! What happened?"}, []string{"I was {d} and slipped.", "It was silly, I did it while {d}."}, []string{"How did {A} injure the {x}?", "What was {A} doing when the {x} got hurt?"}, []string{"carrying boxes upstairs", "cleaning the gutters", "playing basketball", "chasing the bus", "skating with the kids", "moving the piano"}},
			{[]string{"What helps with the pain?", "Is there anything that makes it better?"}, []string{"{d} helps a bit.", "So far only {d}, and patience."}, []string{"What helps {A} with the pain in the {x}?", "How does {A} treat the injury?"}, []string{"swimming slowly", "a heating pad", "gentle stretching", "an herbal cream", "long warm baths"}},
		},
	},
	{
		kind:   "plans",
		say:    []string{"I'm thinking of opening a {x}. I even looked at a space {t}!", "So I've decided: I will start my own {x}. I told my family {t}.", "{t} I wrote the first plan for my {x}. It is becoming real."},
		base:   []string{"decide to open a {x}", "start planning a {x}", "look at a space for the {x}"},
		object: []string{"flower shop", "coffee truck", "dance studio", "bike repair shop", "community garden", "podcast", "tutoring service", "bed and breakfast", "clothing line"},
		follow: []followup{
			{[]string{"I love that idea! How will you pay for it?", "Brave! Where does the money come from?"}, []string{"I have {d}, that covers the start.", "Mostly {d}. It's tight but it works."}, []string{"How will {A} finance the {x}?", "Where does {A} get the money for the {x}?"}, []string{"some savings", "a small loan", "a grant from the city", "help from an investor", "money from selling my car"}},
			{[]string{"What will make it special?", "What's your idea for it?"}, []string{"I want {d}, so that people feel at home.", "There will be {d}. Nobody here has that."}, []string{"What will be special about {A}'s {x}?", "What does {A} want to offer in the {x}?"}, []string{"live music on Fridays", "a corner for children", "local products only", "big windows and plants", "free workshops", "recycled furniture"}},
		},
	},
	{
		kind:   "volunteering",
		say:    []string{"I volunteered at the {x} {t}. It really put things in perspective.", "{t} I helped out at the {x} for the first time.", "We organized an event for the {x} {t} and so many people came."},
		base:   []string{"volunteer at the {x}", "help out at the {x}", "organize an event for the {x}"},
		object: []string{"homeless shelter", "food bank", "animal shelter", "retirement home", "river cleanup", "children's hospital", "refugee center", "public library"},
		follow: []followup{
			{[]string{"That's so generous of you. What did you do there?", "Good for you! What were your tasks?"}, []string{"I was {d} all afternoon.", "This time {d}, next week something else."}, []string{"What did {A} do at the {x}?", "What were {A}'s tasks at the {x}?"}, []string{"serving soup", "sorting clothes", "reading stories aloud", "walking the dogs", "painting the walls", "teaching card games"}},
			{[]string{"How did it make you feel?", "Was it hard?"}, []string{"It made me feel {d}, honestly.", "I came home {d}."}, []string{"How did {A} feel after helping at the {x}?", "How did volunteering make {A} feel?"}, []string{"grateful and tired", "hopeful again", "humbled", "a bit sad but useful", "full of energy"}},
		},
	},
	{
		kind:   "purchases",
		say:    []string{"I treated myself and bought a {x} {t}!", "My new {x} arrived {t}. I've been playing with it ever since.", "{t} I finally got the {x} I was saving for."},
		base:   []string{"buy a {x}", "purchase a {x}", "get the new {x}"},
		object: []string{"mountain bike", "telescope", "electric piano", "film camera", "kayak", "sewing machine", "vintage car", "espresso machine", "drawing tablet", "tent"},
		follow: []followup{
			{[]string{"Ooh, nice! How much was it?", "Fancy! Was it expensive?"}, []string{"It was {d}, a bargain really.", "{d}, but I don't regret it."}, []string{"How much did {A} pay for the {x}?", "How much did the {x} cost?"}, []string{"200 dollars", "90 dollars second-hand", "about 1,500", "650 dollars", "half of my bonus", "40 dollars at a flea market"}},
			{[]string{"What color is it?", "What does it look like?"}, []string{"{d}, it stands in the hallway now.", "It's {d}! You would like it."}, []string{"What color is {A}'s {x}?", "What does {A}'s {x} look like?"}, []string{"dark green", "red with white stripes", "matte black", "sky blue", "silver and very small", "bright orange"}},
		},
	},
	{
		kind:   "art",
		say:    []string{"I made a {x} {t}, have a look! [shares image: a {x} on a table]", "{t} I finished my {x}. It took three months. [shares image: a {x} by a window]", "Here's the {x} I worked on {t}, what do you think?"},
		base:   []string{"make a {x}", "create a {x}", "finish the {x}"},
		object: []string{"landscape painting", "clay vase", "wool blanket", "wooden bench", "short film", "charcoal portrait", "song about the sea", "mosaic", "stained glass window"},
		follow: []followup{
			{[]string{"It's beautiful! What was the inspiration?", "Wow, you are talented. What does it stand for?"}, []string{"It stands for {d}, in a way.", "I was thinking of {d} while making it."}, []string{"What does {A}'s {x} represent?", "What inspired {A} to make the {x}?"}, []string{"my childhood by the lake", "the strength of my mother", "new beginnings", "freedom after a hard year", "the forest behind our house"}},
			{[]string{"Where will you put it?", "Are you going to sell it?"}, []string{"It goes to {d}.", "I promised it to {d}."}, []string{"Where did {A}'s {x} go?", "To whom will {A} give the {x}?"}, []string{"the school hall", "an exhibition downtown", "my best friend", "the hospital lobby", "a collector in Berlin"}},
		},
	},
	{
		kind:   "food",
		say:    []string{"I tried to cook {x} {t} and it actually worked!", "{t} I made {x} from scratch for the whole family.", "We had {x} at that new restaurant {t}. So good."},
		base:   []string{"cook {x}", "make {x}", "prepare {x}", "eat {x}"},
		object: []string{"mushroom risotto", "vegan lasagna", "sushi", "pumpkin soup", "sourdough bread", "lamb curry", "blueberry pie", "tamales", "ratatouille"},
		follow: []followup{
			{[]string{"Yum! What's the secret?", "I'm hungry now. How do you make it so good?"}, []string{"{d}, that's all.", "The trick is {d}."}, []string{"What is {A}'s secret for {x}?", "What ingredient makes {A}'s {x} special?"}, []string{"a pinch of cinnamon", "roasting the garlic first", "fresh lemon at the end", "letting it rest overnight", "my grandma's iron pan"}},
			{[]string{"Who taught you?", "Where did you find the recipe?"}, []string{"I learned it from {d}.", "It came from {d}, would you believe it."}, []string{"Who taught {A} to make {x}?", "Where did {A} get the recipe for {x}?"}, []string{"my neighbor", "an old magazine", "a monk in Thailand", "my father-in-law", "a cooking show", "the chef downstairs"}},
		},
	},
	{
		kind:   "setbacks",
		say:    []string{"Sad news: my {x} {t}. I'm still in shock.", "{t} was awful, my {x}, right before the weekend.", "I have not been myself. My {x} {t}."},
		base:   []string{"tell that the {x}", "experience that the {x}"},
		object: []string{"car broke down", "laptop was stolen", "project got canceled", "roof started to leak", "flight was canceled", "phone fell into the lake", "landlord raised the rent", "application was rejected"},
		follow: []followup{
			{[]string{"Oh no, that's terrible. What will you do now?", "I'm sorry to hear that! How are you handling it?"}, []string{"I'm {d} for now.", "Not much choice, I'm {d}."}, []string{"How did {A} deal with it when the {x}?", "What did {A} do after the {x}?"}, []string{"borrowing one from work", "staying with a friend", "calling the insurance every day", "starting again from zero", "taking a few days off"}},
			{[]string{"Is someone helping you?", "You're not alone in this, right?"}, []string{"Yes, {d} has been a rock.", "Luckily {d} stepped in."}, []string{"Who supported {A} after the {x}?", "Who helped {A} when the {x}?"}, []string{"my sister", "a colleague", "the guy next door", "my therapist", "our old teacher", "my band"}},
		},
	},
}

var (
	people     = []string{"Anna", "Marcus", "Priya", "Tomas", "Leila", "Oscar", "Grace", "Hugo", "Nadia", "Felix", "Irene", "Samuel", "Yuki", "Diego", "Clara", "Ahmed", "Zoe", "Viktor", "Ruth", "Jonas"}
	companions = []string{"my sister", "the kids", "some colleagues", "an old friend", "my husband", "the neighbors", "my mother"}
	ranks      = []string{"first", "second", "third", "fifth", "in the top ten"}
	moments    = []string{"yesterday", "last week", "last Friday", "two days ago", "last month", "on Sunday", "this morning", "last weekend", "a few days ago", "in the first week of the month", "recently"}
	hellos     = []string{"Hey {B}! Long time no see, how have you been?", "Hi {B}, good to hear from you! What's new?", "{B}! How's everything going?", "Hey, how was your week?", "Hello {B}, hope you're doing great!"}
	replies    = []string{"Hey {B}! All good here, busy but happy. How about you?", "Hi! Can't complain, lots going on. And you?", "Hey! Pretty good, thanks for asking.", "Hi {B}, it's been a crazy time. Good to talk to you."}
	reactions  = []string{"That's wonderful, {B}! I'm really happy for you.", "Wow, I can't wait to hear more about it.", "Thanks {B}, that means a lot to me.", "I totally get that. It's important to make time for what we love.", "Sounds like it was worth it!", "You always have such good stories.", "That must have been quite an experience. Keep going!", "Haha, I can picture that.", "I wish I could do that too someday.", "Thanks! I really appreciate your support.", "Absolutely, {B}. Small steps matter."}
	echoes     = []string{"A friend of mine was into {x} too, it changed a lot for them.", "I've always been curious about {x}, maybe I should give it a try.", "You and {x}, who would have thought!", "The thing with {x} is that you need patience.", "I remember you mentioning {x} before, great that it worked out.", "So tell me when there's more about {x}!"}
	takeUps    = []string{"You know how it is with {x}.", "About {x}, well.", "Oh, the {x} story!", "When it comes to {x} I'm a beginner.", "That's the thing with {x}.", "I could talk about {x} for hours."}
	partings   = []string{"I have to run, talk soon {B}!", "Let's catch up again next week. Take care!", "Bye {B}, have a great evening!", "It was so good talking to you. See you!"}
)
