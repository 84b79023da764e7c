//! What models are asked with, whoever asks: messages in order.

/// Whose words a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// Ours: what the model is to do.
    System,
    /// Ours: what it is to do it with.
    User,
    /// The model's own earlier answer.
    Model,
}

/// One message of a prompt.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Whose words.
    pub speaker: Speaker,
    /// The words.
    pub text: String,
}

/// Shows the size only: no prompt reaches a log.
impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Message({:?}, {} bytes)", self.speaker, self.text.len())
    }
}

/// All that a model is asked, in order; the first message is the system's.
pub type Prompt = Vec<Message>;
